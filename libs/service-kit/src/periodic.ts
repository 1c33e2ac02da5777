/** Work that is done again and again, one round at a time. A round that fails is told, and the next one comes all the same. */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> | undefined;
  private stopped = false;
  private isAsked = false;

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Begins; the first round comes after one interval, in ms. Keeps no process alive. */
  start(everyMs: number): void {
    this.timer = setInterval(() => this.begin(), everyMs);
    this.timer.unref();
  }

  /** Begins a round now, or right after the one under way: that one may have looked too early. */
  round(): void {
    if (this.running) this.isAsked = true;
    else this.begin();
  }

  private begin(): void {
    if (this.stopped || this.running) return;
    this.isAsked = false;
    this.running = this.work()
      .catch(this.onFailure)
      .finally(() => {
        this.running = undefined;
        if (this.isAsked) this.begin();
      });
  }

  /** True once it was told to stop: long rounds may ask. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Ends after the round under way, for good. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }
}
