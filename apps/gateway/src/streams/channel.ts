import type { Notice, NoticeBroadcast, OpenedStream, Replay, StreamPosition } from '@groupware/contracts';
import type { StreamClient } from './stream-client';
import { streamMetrics, type StreamTransport } from './stream-metrics';
import { isSameNotice, type Position } from './stream-position';

/** Source of the notices of one user: what a channel asks of the push service. */
export interface NoticeSource {
  open(transport: StreamTransport): Promise<OpenedStream>;
  replay(position: Position): Promise<Replay>;
}

/** The newest notices of a user are kept here, so that clients that were away for a moment cost no call. */
const KEPT = 64;

/** The notices of one user and the streams that follow them. */
export class Channel {
  readonly clients = new Set<StreamClient>();
  private epoch = 0;
  private last = 0;
  /** When the newest notice was committed, ms UTC; 0: not known. */
  private lastAt = 0;
  private recent: Notice[] = [];
  private catching: Promise<void> | undefined;

  constructor(
    readonly contextId: number,
    readonly userId: number,
    private readonly source: NoticeSource,
    private readonly report: (error: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Position of the newest notice of the user, as far as it is known here. */
  get position(): Position {
    return { epoch: this.epoch, seq: this.last, at: this.lastAt };
  }

  /** Begins to follow, or follows anew: what the service answers is where things stand. */
  async open(transport: StreamTransport): Promise<OpenedStream> {
    const before = this.position;
    const opened = await this.source.open(transport);
    this.moveTo(opened, before);
    return opened;
  }

  /** A word from the bus. */
  hear(message: NoticeBroadcast): void {
    if (message.subscriptions) return void this.reread().catch(this.report);
    const { epoch, notice } = message;
    if (epoch === this.epoch && notice.seq <= this.last) {
      // Another notice with a number that was used before: the database was restored.
      const known = this.recent.find(({ seq }) => seq === notice.seq);
      if (known && known.at !== notice.at) this.startOver({ epoch, last: notice.seq, at: notice.at });
      return;
    }
    if (epoch === this.epoch && notice.seq === this.last + 1) {
      streamMetrics.lag(this.now() - notice.at);
      this.pass(notice);
    } else this.moveTo({ epoch, last: notice.seq, at: notice.at });
  }

  /**
   * The service says where notices stand: what did not arrive is fetched. Where numbers begin anew, or went back because the
   * database was restored, clients are told to load again what they show.
   * @param before what was known here when the service was asked
   */
  moveTo(position: StreamPosition, before?: Position): void {
    const { epoch, last, at = 0 } = position;
    const wentBack =
      before?.epoch === epoch && (last < before.seq || (last === before.seq && !isSameNotice(at, before.at)));
    if (epoch !== this.epoch || wentBack) this.startOver(position);
    else if (last > this.last) this.catchUp().catch(this.report);
  }

  private startOver(position: StreamPosition): void {
    const isFirst = this.epoch === 0;
    this.adopt(position);
    if (!isFirst) for (const client of this.clients) client.resync(this.position);
  }

  /** A service of the version before does not know the times. */
  private adopt({ epoch, last, at = 0 }: StreamPosition): void {
    this.epoch = epoch;
    this.last = last;
    this.lastAt = at;
    this.recent = [];
  }

  /** Brings a client that resumes to where the others are, then lets it follow. */
  async resume(client: StreamClient): Promise<void> {
    while (!client.isEnded) {
      const { epoch, seq, at } = client.position;
      if (epoch !== this.epoch || seq > this.last || (seq === this.last && !isSameNotice(at, this.lastAt))) {
        client.resync(this.position);
        break;
      }
      if (seq === this.last) break;
      const kept = this.keptAfter(client.position);
      if (kept) {
        await this.hand(client, kept);
        continue;
      }
      const replay = await this.source.replay(client.position);
      if (replay.lost || replay.epoch !== epoch) {
        client.resync({ epoch: replay.epoch, seq: replay.last, at: replay.at ?? 0 });
        if (replay.epoch === this.epoch && replay.last >= this.last) await this.settle(replay.last);
        break;
      }
      await this.hand(client, replay.notices);
      if (client.position.seq > this.last) await this.settle(client.position.seq);
    }
    client.isLive = !client.isEnded;
  }

  /** The notices after a position; undefined unless the position is certain and all of them are here. */
  private keptAfter({ seq, at }: Position): readonly Notice[] | undefined {
    const index = this.recent.findIndex((notice) => notice.seq > seq);
    if (index < 0 || this.recent[index]!.seq !== seq + 1) return undefined;
    if (at !== 0 && this.recent[index - 1]?.at !== at) return undefined;
    return this.recent.slice(index);
  }

  /** Hands over no faster than the client reads. */
  private async hand(client: StreamClient, notices: readonly Notice[]): Promise<void> {
    for (const notice of notices) {
      await client.room();
      if (client.isEnded) return;
      client.take(notice);
    }
  }

  /** The client knows more than this channel: word of it is on its way, or lost. */
  private async settle(seq: number): Promise<void> {
    if (seq > this.last) await this.catchUp();
  }

  private pass(notice: Notice): void {
    this.last = notice.seq;
    this.lastAt = notice.at;
    this.recent.push(notice);
    if (this.recent.length > KEPT) this.recent.shift();
    for (const client of this.clients) if (client.isLive && client.position.seq < notice.seq) client.take(notice);
  }

  /** Fetches what is missing, once at a time. */
  private catchUp(): Promise<void> {
    return (this.catching ??= this.fetchMissing().finally(() => (this.catching = undefined)));
  }

  private async fetchMissing(): Promise<void> {
    for (;;) {
      const replay = await this.source.replay(this.position);
      if (replay.lost || replay.epoch !== this.epoch) {
        this.adopt(replay);
        for (const client of this.clients) if (client.isLive) client.resync(this.position);
        return;
      }
      for (const notice of replay.notices) if (notice.seq === this.last + 1) this.pass(notice);
      if (this.last >= replay.last) return;
    }
  }

  private async reread(): Promise<void> {
    for (const transport of new Set([...this.clients].map(({ line }) => line.transport))) {
      const { topics } = await this.open(transport);
      for (const client of this.clients) if (client.line.transport === transport) client.subscribed(topics);
    }
  }
}
