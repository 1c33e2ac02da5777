/** Runs work periodically, one round at a time. A failed round is reported and does not stop the next. */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> | undefined;
  private stopped = false;
  private isRoundRequested = false;

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Begins, or begins anew with another interval, in ms, after which the first round comes. Keeps no process alive. */
  start(everyMs: number): void {
    if (this.stopped) return;
    clearInterval(this.timer);
    this.timer = setInterval(() => this.startRound(), everyMs);
    this.timer.unref();
  }

  /** Begins a round now, or right after the one under way: that one may have looked too early. */
  requestRound(): void {
    if (this.running) this.isRoundRequested = true;
    else this.startRound();
  }

  private startRound(): void {
    if (this.stopped || this.running) return;
    this.isRoundRequested = false;
    this.running = this.runRound().finally(() => {
      this.running = undefined;
      if (this.isRoundRequested) this.startRound();
    });
  }

  private async runRound(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      try {
        this.onFailure(error);
      } catch {
        // Nothing is left to report it to, and the next round must come all the same.
      }
    }
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
