/** The console. */
import '../widget';
import './sign-in';
import './pages/inbox';
import './pages/run';
import './pages/runs';
import './pages/start';
import './shell';

document.body.append(document.createElement('hp-app'));
