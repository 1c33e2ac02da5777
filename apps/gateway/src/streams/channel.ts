import type { Notice, NoticeBroadcast, OpenedStream, Replay, StreamPosition } from '@groupware/contracts';
import type { StreamClient } from './stream-client';
import { streamMetrics, type StreamTransport } from './stream-metrics';

/** What a channel asks of the push service, for one user. */
export interface NoticeSource {
  open(transport: StreamTransport): Promise<OpenedStream>;
  replay(epoch: number, after: number): Promise<Replay>;
}

/** The newest notices of a user are kept here, so that clients that were away for a moment cost no call. */
const KEPT = 64;

/** The notices of one user and the streams that follow them. */
export class Channel {
  readonly clients = new Set<StreamClient>();
  private epoch = 0;
  private last = 0;
  private recent: Notice[] = [];
  private catching: Promise<void> | undefined;

  constructor(
    readonly contextId: number,
    readonly userId: number,
    private readonly source: NoticeSource,
    private readonly report: (error: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Where the notices of the user stand, as far as it is known here. */
  get position(): { epoch: number; seq: number } {
    return { epoch: this.epoch, seq: this.last };
  }

  /** Begins to follow, or follows anew: what the service answers is where things stand. */
  async open(transport: StreamTransport): Promise<OpenedStream> {
    const opened = await this.source.open(transport);
    this.moveTo(opened);
    return opened;
  }

  /** A word from the bus. */
  hear(message: NoticeBroadcast): void {
    if (message.subscriptions) return void this.reread().catch(this.report);
    const { epoch, notice } = message;
    if (epoch === this.epoch && notice.seq <= this.last) return;
    if (epoch === this.epoch && notice.seq === this.last + 1) {
      streamMetrics.lag(this.now() - notice.at);
      this.pass(notice);
    } else this.moveTo({ epoch, last: notice.seq });
  }

  /** The service says where notices stand: what did not arrive is fetched. */
  moveTo({ epoch, last }: StreamPosition): void {
    if (epoch !== this.epoch) {
      const isFirst = this.epoch === 0;
      this.epoch = epoch;
      this.last = last;
      this.recent = [];
      if (!isFirst) for (const client of this.clients) client.resync(this.position);
    } else if (last > this.last) this.catchUp().catch(this.report);
  }

  /** Brings a client that resumes to where the others are, then lets it follow. */
  async resume(client: StreamClient): Promise<void> {
    while (!client.isEnded) {
      const { epoch, seq } = client.position;
      if (epoch !== this.epoch || seq > this.last) {
        client.resync(this.position);
        break;
      }
      if (seq === this.last) break;
      const kept = this.recent.filter((notice) => notice.seq > seq);
      if (kept[0]?.seq === seq + 1) {
        await this.hand(client, kept);
        continue;
      }
      const replay = await this.source.replay(epoch, seq);
      if (replay.lost || replay.epoch !== epoch) {
        client.resync({ epoch: replay.epoch, seq: replay.last });
        if (replay.epoch === this.epoch && replay.last >= this.last) await this.settle(replay.last);
        break;
      }
      await this.hand(client, replay.notices);
      if (client.position.seq > this.last) await this.settle(client.position.seq);
    }
    client.isLive = !client.isEnded;
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
      const replay = await this.source.replay(this.epoch, this.last);
      if (replay.lost || replay.epoch !== this.epoch) {
        this.epoch = replay.epoch;
        this.last = replay.last;
        this.recent = [];
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
