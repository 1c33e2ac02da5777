/** Runs work periodically, one round at a time. A failed round is reported and does not stop the next. */
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
    this.timer = setInterval(() => this.startRound(), everyMs);
    this.timer.unref();
  }

  /** Begins a round now, or right after the one under way: that one may have looked too early. */
  requestRound(): void {
    if (this.running) this.isAsked = true;
    else this.startRound();
  }

  private startRound(): void {
    if (this.stopped || this.running) return;
    this.isAsked = false;
    this.running = this.work()
      .catch(this.onFailure)
      .finally(() => {
        this.running = undefined;
        if (this.isAsked) this.startRound();
      });
  }

  /** Whether stop was requested, for long rounds. */
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
