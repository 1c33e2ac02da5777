/** Work that is done again and again, one round at a time. A round that fails is told, and the next one comes all the same. */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> | undefined;

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Begins; the first round comes after one interval, in ms. Keeps no process alive. */
  start(everyMs: number): void {
    this.timer = setInterval(() => this.round(), everyMs);
    this.timer.unref();
  }

  /** Begins a round now, unless one is under way. */
  round(): void {
    this.running ??= this.work()
      .catch(this.onFailure)
      .finally(() => (this.running = undefined));
  }

  /** Ends after the round under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
