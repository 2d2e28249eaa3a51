import '../widget';
