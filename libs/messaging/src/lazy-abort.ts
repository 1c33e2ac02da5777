import { setMaxListeners } from 'node:events';

/** An abort signal that costs nothing unless a handler asks for it. */
export class LazyAbort {
  /** Ticks since the call began. */
  ticks = 0;
  /** Its handler runs. */
  isBegun = false;
  /** The caller went away, or turned to another process. */
  isCancelled = false;
  private controller: AbortController | undefined;
  private aborted = false;
  onCancel: (() => void) | undefined;

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      // A call may ask many services at once, each of which listens.
      setMaxListeners(0, this.controller.signal);
    }
    if (this.aborted) this.controller.abort();
    return this.controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.onCancel?.();
  }

  cancelled(): void {
    this.aborted = true;
    this.controller?.abort();
  }
}
