import type { PoolClient } from 'pg';
import { breaksConnection } from '../failures';
import type { ResultCallback } from './connection-watch';
import type { Statement, StatementResult } from './statement';

/** A message that takes so long does not count any more, and a read that does shares none for a while, ms. */
const LONG_READ_MS = 250;
/** For so long, ms. */
const ALONE_MS = 60_000;
/** Another read behind one that is usually done by then costs less in the same message than one of its own, ms. */
const BRIEF_READ_MS = 2;
/** Share of the newest read in the usual time of its text. */
const NEWEST_SHARE = 1 / 8;
/** Reads in one message at most: those behind wait for those before. */
const MAX_SHARED = 4;
/** Texts whose pace is known. */
const MAX_TEXTS = 500;

/** How reads are sent. */
export interface ReadSender {
  connect(): Promise<PoolClient>;
  send(client: PoolClient, statement: Statement, callback: ResultCallback): void;
}

interface WaitingRead {
  readonly statement: Statement;
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a text takes. */
interface Pace {
  /** Smoothed over its last reads. */
  usualMs: number;
  /** Until when it travels alone. */
  aloneUntil: number;
}

/** Reads under way on one connection. */
interface Message {
  readonly since: number;
  isCounted: boolean;
}

/**
 * Sends reads on a few connections: few backends with full hands cost the processors less than many that take turns. While all
 * are at work reads wait, and some that wait travel together, each with an outcome of its own; so do reads of one turn that are
 * behind brief ones, even while connections are free. Only texts that are known to be quick share a message; others travel alone,
 * and those that take long leave their place to others, so that no read waits for them.
 */
export class ReadQueue {
  private readonly waiting: WaitingRead[] = [];
  private readonly underWay = new Set<Message>();
  private counted = 0;
  private isScheduled = false;
  private timer: NodeJS.Timeout | undefined;
  /** By text. */
  private readonly paces = new Map<string, Pace>();

  constructor(
    private readonly sender: ReadSender,
    private readonly maxMessages: number,
  ) {}

  /** Sends a read, with others that are asked for in the same turn or wait as well. */
  run(statement: Statement): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ statement, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.sendWaiting();
    });
  }

  private sendWaiting(): void {
    while (this.waiting.length > 0 && this.counted < this.maxMessages) void this.sendMessage(this.takeReads());
    if (this.waiting.length === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else this.timer ??= setInterval(() => this.uncountLong(), LONG_READ_MS / 2).unref();
  }

  /** The reads of the next message: their share of those that wait, and those behind brief ones, as long as they are quick. */
  private takeReads(): WaitingRead[] {
    const { waiting } = this;
    const share = Math.ceil(waiting.length / (this.maxMessages - this.counted));
    const most = Math.min(MAX_SHARED, waiting.length);
    let count = 0;
    let areBrief = true;
    while (count < most && (count < share || areBrief)) {
      const pace = this.paces.get(waiting[count]!.statement.text);
      if (!pace || pace.aloneUntil > performance.now()) break;
      areBrief &&= pace.usualMs <= BRIEF_READ_MS;
      count++;
    }
    return waiting.splice(0, Math.max(count, 1));
  }

  private notePace(text: string, durationMs: number): void {
    let pace = this.paces.get(text);
    if (pace) pace.usualMs += (durationMs - pace.usualMs) * NEWEST_SHARE;
    else {
      if (this.paces.size >= MAX_TEXTS) this.paces.clear();
      this.paces.set(text, (pace = { usualMs: durationMs, aloneUntil: 0 }));
    }
    if (durationMs >= LONG_READ_MS) pace.aloneUntil = performance.now() + ALONE_MS;
  }

  private async sendMessage(reads: WaitingRead[]): Promise<void> {
    const message: Message = { since: performance.now(), isCounted: true };
    this.underWay.add(message);
    this.counted++;
    try {
      const client = await this.sender.connect();
      await new Promise<void>((done) => this.sendOn(client, reads, done));
    } catch (error) {
      for (const { reject } of reads) reject(error);
    } finally {
      this.underWay.delete(message);
      this.uncount(message);
    }
  }

  private sendOn(client: PoolClient, reads: readonly WaitingRead[], done: () => void): void {
    const { stream } = client.connection;
    let open = 1;
    let isBroken = false;
    let since = performance.now();
    const end = () => {
      if (--open > 0) return;
      client.release(isBroken);
      done();
    };
    stream.cork();
    for (const [index, read] of reads.entries()) {
      // After a value that cannot be sent the connection does not know whether its statement is prepared.
      if (isBroken) {
        this.waiting.unshift(...reads.slice(index));
        break;
      }
      open++;
      let isSending = true;
      this.sender.send(client, read.statement, (error, result) => {
        const now = performance.now();
        this.notePace(read.statement.text, now - since);
        since = now;
        isBroken ||= isSending || breaksConnection(error);
        if (error === null) read.resolve(result);
        else read.reject(error);
        end();
      });
      isSending = false;
    }
    stream.uncork();
    end();
  }

  private uncountLong(): void {
    const longBefore = performance.now() - LONG_READ_MS;
    for (const message of this.underWay) if (message.since < longBefore) this.uncount(message);
  }

  private uncount(message: Message): void {
    if (message.isCounted) {
      message.isCounted = false;
      this.counted--;
    }
    if (this.waiting.length > 0) this.schedule();
  }
}
