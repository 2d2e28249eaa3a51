/** Wakes one loop, from many places: rung before it listens, it is heard at once, and once. */
export class Bell {
  private rung = false;
  private wake: (() => void) | null = null;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  async heard(): Promise<void> {
    if (!this.rung) await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = null;
    this.rung = false;
  }
}
