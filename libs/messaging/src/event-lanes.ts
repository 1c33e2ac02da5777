import type { JsMsg } from 'nats';
import { ACK_WAIT_MS, attempt, retryLater, type EventHandling } from './event-loop';

/** Events of a batch that are tried by themselves before all of them count as failed: something they need is away. */
const SINGLE_FAILURES = 3;

/** How events are handled in lanes. */
export interface LaneOptions {
  /** Lanes that work at the same time. */
  readonly lanes: number;
  /** Most events that a lane handles together. */
  readonly batchSize: number;
}

/** An event with its place in a lane. */
interface Entry<M> {
  readonly raw: JsMsg;
  readonly message: M;
}

/**
 * Handles events of different keys at the same time and those of one key in their order, as many together as have arrived.
 * Events of a batch that fails are handled one by one: a bad one holds up no other, and comes again later.
 */
export class LaneHandling<M> implements EventHandling {
  private readonly queues = new Map<number, Entry<M>[]>();
  /** Keys that a lane works on. */
  private readonly taken = new Set<number>();
  private readonly held = new Set<JsMsg>();
  private readonly working = new Set<Promise<void>>();
  private readonly keep: NodeJS.Timeout;
  private stopped = false;

  /**
   * @param read the event and its key; undefined for one that is not wanted here
   * @param handle must have taken effect when it resolves
   */
  constructor(
    private readonly read: (raw: JsMsg) => { key: number; message: M } | undefined,
    private readonly handle: (messages: readonly M[]) => Promise<void>,
    private readonly report: (error: unknown) => void,
    private readonly options: LaneOptions,
  ) {
    const tell = (): void => this.held.forEach((raw) => attempt(() => raw.working()));
    this.keep = setInterval(tell, ACK_WAIT_MS / 2).unref();
  }

  accept(raw: JsMsg): void {
    let found: { key: number; message: M } | undefined;
    try {
      found = this.read(raw);
    } catch (error) {
      // No process could ever read it.
      this.report(error);
    }
    if (!found) return attempt(() => raw.ack());
    this.held.add(raw);
    const queue = this.queues.get(found.key);
    if (queue) queue.push({ raw, message: found.message });
    else this.queues.set(found.key, [{ raw, message: found.message }]);
    this.startLanes();
  }

  async finish(): Promise<void> {
    this.stopped = true;
    clearInterval(this.keep);
    await Promise.all(this.working);
    for (const raw of this.held) attempt(() => raw.nak());
    this.held.clear();
  }

  /** Gives keys to free lanes, those that have waited longest first. */
  private startLanes(): void {
    for (const key of this.queues.keys()) {
      if (this.stopped || this.working.size >= this.options.lanes) return;
      if (this.taken.has(key)) continue;
      const lane = this.work(key).finally(() => {
        this.working.delete(lane);
        this.startLanes();
      });
      this.working.add(lane);
    }
  }

  /** Handles what waits for a key, at most one batch; then the key goes to the end of the line. */
  private async work(key: number): Promise<void> {
    this.taken.add(key);
    const batch = this.queues.get(key)!.splice(0, this.options.batchSize);
    await this.handleTogether(batch);
    this.taken.delete(key);
    const waiting = this.queues.get(key)!;
    this.queues.delete(key);
    if (waiting.length > 0) this.queues.set(key, waiting);
  }

  private async handleTogether(batch: readonly Entry<M>[]): Promise<void> {
    let failures = 0;
    if (batch.length > 1 && (await this.succeeds(batch, false))) return;
    for (const entry of batch)
      if (failures >= SINGLE_FAILURES) this.settle(entry.raw, () => retryLater(entry.raw));
      else if (!(await this.succeeds([entry], true))) failures += 1;
  }

  private async succeeds(batch: readonly Entry<M>[], isLastTry: boolean): Promise<boolean> {
    try {
      await this.handle(batch.map(({ message }) => message));
      for (const { raw } of batch) this.settle(raw, () => raw.ack());
      return true;
    } catch (error) {
      if (!isLastTry) return false;
      this.report(error);
      for (const { raw } of batch) this.settle(raw, () => retryLater(raw));
      return false;
    }
  }

  private settle(raw: JsMsg, tell: () => void): void {
    this.held.delete(raw);
    attempt(tell);
  }
}
