import type { PoolClient } from 'pg';
import { breaksConnection } from '../failures';
import type { ResultCallback } from './connection-watch';
import type { Statement, StatementResult } from './statement';

/** A message that takes so long does not count any more, and a read that does shares none for a while, ms. */
const LONG_READ_MS = 250;
/** For so long, ms. */
const ALONE_MS = 60_000;
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

/** Reads under way on one connection. */
interface Message {
  readonly since: number;
  isCounted: boolean;
}

/**
 * Sends reads on a few connections: few backends with full hands cost the processors less than many that take turns. While all
 * are at work reads wait, and some that wait travel together, each with an outcome of its own. Only texts that are known to be
 * quick do; others travel alone, and those that take long leave their place to others, so that no read waits for them.
 */
export class ReadQueue {
  private readonly waiting: WaitingRead[] = [];
  private readonly underWay = new Set<Message>();
  private counted = 0;
  private isScheduled = false;
  private timer: NodeJS.Timeout | undefined;
  /** By text: until when it travels alone. */
  private readonly aloneUntil = new Map<string, number>();

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
    process.nextTick(() => {
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

  /** The reads of the next message: their share of those that wait, as long as they are quick. */
  private takeReads(): WaitingRead[] {
    const { waiting } = this;
    const most = Math.min(MAX_SHARED, Math.ceil(waiting.length / (this.maxMessages - this.counted)));
    let count = 0;
    while (count < most && this.isQuick(waiting[count]!.statement.text)) count++;
    return waiting.splice(0, Math.max(count, 1));
  }

  private isQuick(text: string): boolean {
    const until = this.aloneUntil.get(text);
    return until !== undefined && until <= performance.now();
  }

  private notePace(text: string, durationMs: number): void {
    if (durationMs >= LONG_READ_MS) this.aloneUntil.set(text, performance.now() + ALONE_MS);
    else if (!this.aloneUntil.has(text)) {
      if (this.aloneUntil.size >= MAX_TEXTS) this.aloneUntil.clear();
      this.aloneUntil.set(text, 0);
    }
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
