import { covers, type Notice, type UserPrincipal } from '@groupware/contracts';
import { streamMetrics, type EndReason, type StreamTransport } from './stream-metrics';
import { positionText, type Position } from './stream-position';

/** Longest wait for a client that reads what it missed, ms, and how often it is looked at. */
const ROOM_MS = 30_000;
const ROOM_STEP_MS = 20;

/** The connection of a stream, whatever carries it. */
export interface StreamLine {
  readonly transport: StreamTransport;
  /** Bytes that wait because the client does not read. */
  readonly waitingBytes: number;
  hello(id: string): void;
  notice(id: string, notice: Notice): void;
  /** Notices were lost: load anew what is shown. */
  resync(id: string): void;
  /** A sign of life; carries the position where the transport can. */
  heartbeat(id: string): void;
  /** Ends the stream. A reason other than `slow` may still be told. */
  end(reason: EndReason): void;
  /** Calls back once when the connection is gone. */
  onGone(gone: () => void): void;
}

/** One open stream: what its client has and wants. */
export class StreamClient {
  /** Only these topics; undefined: everything. */
  topics: readonly string[] | undefined;
  /** Follows its user's notices as they come; false while it catches up. */
  isLive = false;
  private ended = false;

  constructor(
    readonly line: StreamLine,
    /** The user, with the session that it lives by. */
    readonly principal: UserPrincipal,
    /** Topics that the client asked for; they win over subscriptions. */
    private readonly ownTopics: readonly string[] | undefined,
    /** Everything up to here was written or is of no interest. */
    public position: Position,
    private readonly maxBufferBytes: number,
  ) {
    this.topics = ownTopics;
  }

  /** The session the stream lives by. */
  get sessionId(): string {
    return this.principal.sessionId;
  }

  /** True after the end. */
  get isEnded(): boolean {
    return this.ended;
  }

  /** Subscriptions of the user changed. */
  subscribed(topics: readonly string[] | undefined): void {
    if (!this.ownTopics) this.topics = topics;
  }

  /** Whether notices of a topic are for this stream. */
  wants(topic: string): boolean {
    return !this.topics || covers(this.topics, topic);
  }

  /** The first word. */
  hello(): void {
    this.line.hello(positionText(this.position));
  }

  /** The next notice. Others than the next are not for here. */
  take(notice: Notice): void {
    this.position = { ...this.position, seq: notice.seq, at: notice.at };
    if (!this.wants(notice.topic)) return;
    this.line.notice(positionText(this.position), notice);
    streamMetrics.sent(this.line.transport);
    this.dropIfSlow();
  }

  /** Goes on at a position; what lies between is lost. */
  resync(position: Position): void {
    this.position = position;
    streamMetrics.resync();
    this.line.resync(positionText(position));
    this.dropIfSlow();
  }

  /** Waits until the client has read what was written; one that takes too long is dropped. */
  async room(): Promise<void> {
    for (let waited = 0; !this.ended && this.line.waitingBytes > this.maxBufferBytes / 2; waited += ROOM_STEP_MS) {
      if (waited > ROOM_MS) return this.end('slow');
      await new Promise((resolve) => setTimeout(resolve, ROOM_STEP_MS));
    }
  }

  heartbeat(): void {
    this.line.heartbeat(positionText(this.position));
    this.dropIfSlow();
  }

  end(reason: EndReason): void {
    if (this.ended) return;
    this.ended = true;
    this.isLive = false;
    streamMetrics.closed(this.line.transport, reason);
    this.line.end(reason);
  }

  private dropIfSlow(): void {
    if (this.line.waitingBytes > this.maxBufferBytes) this.end('slow');
  }
}
