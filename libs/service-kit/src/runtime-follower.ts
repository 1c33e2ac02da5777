import { runtime, RUNTIME_CHANGED, type RuntimeState } from '@groupware/contracts';
import type { Caller, EventBus } from '@groupware/messaging';

/** Polling interval where a broadcast was lost, ms. */
const POLL_MS = 60_000;
/** After a failed attempt, ms. */
const RETRY_MS = 1_000;
/** Failed attempts in a row before the next poll is awaited: an installation may have no admin service. */
const MAX_RETRIES = 5;

/** Keeps a process up to date about what operators change while it runs. */
export class RuntimeFollower {
  private timer: NodeJS.Timeout | undefined;
  private asking: Promise<void> | undefined;
  private isStale = false;
  private failures = 0;
  private stopped = false;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly caller: Pick<Caller, 'call'>,
    private readonly events: Pick<EventBus, 'onBroadcast'>,
    private readonly apply: (state: RuntimeState) => void,
  ) {}

  /** Starts listening and queries the state in the background. */
  start(): void {
    this.stopListening = this.events.onBroadcast(RUNTIME_CHANGED, () => this.refresh());
    this.refresh();
  }

  /** Asks for the state now, or once more after the answer that is awaited. */
  refresh(): void {
    if (this.asking) {
      this.isStale = true;
      return;
    }
    this.asking = this.queryState().finally(() => {
      this.asking = undefined;
      if (this.isStale && !this.stopped) {
        this.isStale = false;
        this.refresh();
      }
    });
  }

  /** Stops listening; waits for nothing. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.stopListening?.();
  }

  private async queryState(): Promise<void> {
    clearTimeout(this.timer);
    try {
      const principal = { kind: 'internal', service: 'process', contextId: 0 } as const;
      const state = await this.caller.call(runtime.state, { principal });
      if (this.stopped) return;
      this.failures = 0;
      this.apply(state);
    } catch {
      // The last known state stays in force.
      this.failures += 1;
    }
    if (this.stopped) return;
    const pause = this.failures === 0 || this.failures > MAX_RETRIES ? POLL_MS : RETRY_MS;
    this.timer = setTimeout(() => this.refresh(), pause).unref();
  }
}
