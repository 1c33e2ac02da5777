import { setTimeout as wait } from 'node:timers/promises';
import type { ConsumerMessages, JsMsg } from 'nats';

/** An event not acknowledged in time is delivered again, ms. */
export const ACK_WAIT_MS = 30_000;
/** Delays before a failed event is delivered again; the last one repeats. */
const RETRY_DELAYS_MS = [200, 1000, 5000, 15_000, 60_000] as const;
/** Pause before a consumer that lost its stream is set up again, ms. */
const REOPEN_DELAY_MS = 1000;

/** Handler of the events that a loop takes. */
export interface EventHandling {
  /** Takes the event; the loop fetches the next one when the promise resolves. Must not reject. */
  accept(message: JsMsg): Promise<void> | void;
  /** Waits for what was accepted. */
  finish(): Promise<void>;
}

/** Takes the events of one consumer until it is stopped, whatever happens to the stream meanwhile. */
export class EventLoop {
  private current: ConsumerMessages | undefined;
  private stopped = false;
  private readonly pause = new AbortController();
  private ended: Promise<void> | undefined;

  constructor(
    private readonly open: () => Promise<ConsumerMessages>,
    private readonly handling: EventHandling,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Rejects when the consumer can't be set up at all. */
  async start(): Promise<void> {
    this.current = await this.open();
    this.ended = this.run();
  }

  /** Sets the consumer up again: the stream is not the former one. */
  reopen(): void {
    this.current?.close().catch(this.report);
  }

  /** Ends after the events in hand; those taken ahead go back. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.pause.abort();
    await this.current?.close();
    await this.ended;
    await this.handling.finish();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        this.current ??= await this.open();
        for await (const message of this.current) {
          if (this.stopped) message.nak();
          else await this.handling.accept(message);
        }
      } catch (error) {
        if (!this.stopped) this.report(error);
      }
      this.current = undefined;
      if (!this.stopped) await wait(REOPEN_DELAY_MS, undefined, { signal: this.pause.signal }).catch(() => undefined);
    }
  }
}

/** Handles one event at a time. */
export class SerialHandling implements EventHandling {
  constructor(
    private readonly handle: (message: JsMsg) => Promise<void>,
    private readonly report: (error: unknown) => void,
  ) {}

  async accept(message: JsMsg): Promise<void> {
    // Long work keeps the event: without this it would be delivered to another process meanwhile.
    const keep = setInterval(() => attempt(() => message.working()), ACK_WAIT_MS / 2);
    try {
      await this.handle(message);
      // A lost acknowledgement brings the event again, which consumers expect.
      await message.ackAck().catch(this.report);
    } catch (error) {
      this.report(error);
      retryLater(message);
    } finally {
      clearInterval(keep);
    }
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }
}

/** Gives a failed event back; the pauses grow. */
export function retryLater(message: JsMsg): void {
  const tries = Math.min(message.info.deliveryCount, RETRY_DELAYS_MS.length);
  attempt(() => message.nak(RETRY_DELAYS_MS[tries - 1]));
}

/** Tells the server something that it will find out by itself when the connection is gone. */
export function attempt(tell: () => void): void {
  try {
    tell();
  } catch {
    // Not acknowledged means delivered again.
  }
}
