/**
 * Work that many ask for at once and that must have begun after each of them asked: one at a time, and whoever comes
 * while one is under way gets the next one, together with all others who came meanwhile.
 */
export class SharedWork<T> {
  private current: Promise<T> | null = null;
  private next: Promise<T> | null = null;

  constructor(private readonly work: () => Promise<T>) {}

  /** The outcome of work that begins now or later. Fails as the work does. */
  run(): Promise<T> {
    if (this.next) return this.next;
    if (!this.current) return this.begin();
    this.next = this.current.then(ignore, ignore).then(() => {
      this.next = null;
      return this.begin();
    });
    return this.next;
  }

  private begin(): Promise<T> {
    const current = this.work();
    const done = () => {
      if (this.current === current) this.current = null;
    };
    this.current = current;
    current.then(done, done);
    return current;
  }
}

const ignore = () => undefined;
