/** Work that is done again and again, one round at a time. A round that fails is told, and the next one comes all the same. */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> | undefined;
  private stopped = false;

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Begins; the first round comes after one interval, in ms. Keeps no process alive. */
  start(everyMs: number): void {
    this.timer = setInterval(() => this.round(), everyMs);
    this.timer.unref();
  }

  /** Begins a round now, unless one is under way or it was stopped. */
  round(): void {
    if (this.stopped) return;
    this.running ??= this.work()
      .catch(this.onFailure)
      .finally(() => (this.running = undefined));
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
