import {
  noticeBroadcast,
  POSITIONS_CHANGED,
  pushStreams,
  SESSIONS_CLOSED,
  TOPICS,
  type NoticeBroadcast,
  type ServicePrincipal,
  type SessionsClosed,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Caller, EventBus } from '@groupware/messaging';
import { Channel } from './channel';
import type { NewMailWatch } from './new-mail-watch';
import { StreamClient, type StreamLine } from './stream-client';
import { StreamLimits } from './stream-limits';
import { streamMetrics } from './stream-metrics';
import type { Position } from './stream-position';
import type { StreamSettings } from './stream-settings';

/** Parts that the hub works with. */
export interface StreamHubParts {
  readonly caller: Pick<Caller, 'call'>;
  readonly events: Pick<EventBus, 'onBroadcast'>;
  readonly settings: StreamSettings;
  /** Told who waits for new mails. */
  readonly newMails: Pick<NewMailWatch, 'start' | 'extend'>;
  /**
   * Until when a session lives unless it is used, ms UTC; undefined once it is closed, or waits for a second factor. Must not
   * prolong it.
   */
  readonly livesUntil: (sessionId: string) => Promise<number | undefined>;
  readonly report: (error: unknown, what: string) => void;
}

/** A stream that a user asks for. */
export interface WantedStream {
  readonly principal: UserPrincipal;
  readonly address: string;
  /** Only these topics. */
  readonly topics?: readonly string[];
  /** Position at which the client was before. */
  readonly position?: Position;
  /** Opens the line; runs when nothing can refuse the stream any more. */
  readonly line: () => StreamLine;
}

/** Users asked for in one call. */
const USERS_PER_CALL = 1_000;
/** Streams that open at the same time; after a restart all clients come at once. */
const OPENING = 32;
/** A session is looked at so long after its end: the store's clock is another one, ms. */
const SPARE_MS = 20;
/** Heart-beats are spread over so many steps. */
const STEPS = 50;

/** All open streams of this process. */
export class StreamHub {
  private readonly channels = new Map<string, Channel>();
  private readonly bySession = new Map<string, Set<StreamClient>>();
  private readonly stops = new Map<string, () => void>();
  private readonly limits: StreamLimits;
  /** Sessions that run out before the next check. */
  private readonly running = new Map<string, NodeJS.Timeout>();
  private readonly waiting: (() => void)[] = [];
  private opening = 0;
  private step = 0;
  private readonly ends: (() => void)[] = [];
  private isClosed = false;

  constructor(private readonly parts: StreamHubParts) {
    this.limits = new StreamLimits(parts.settings);
  }

  /** Begins heart-beats and checks. */
  start(): void {
    const { settings, events } = this.parts;
    const beat = setInterval(() => this.beat(), Math.max(10, settings.heartbeatMs / STEPS)).unref();
    const check = setInterval(() => void this.check(), settings.checkMs).unref();
    const stop = events.onBroadcast<SessionsClosed>(SESSIONS_CLOSED, ({ sessionIds }) => {
      for (const id of sessionIds) for (const client of this.bySession.get(id) ?? []) client.end('session');
    });
    const stopPositions = events.onBroadcast(POSITIONS_CHANGED, () => void this.check());
    this.ends.push(
      stopPositions,
      () => clearInterval(beat),
      () => clearInterval(check),
      stop,
    );
  }

  /** Ends all streams; clients come back to another process. */
  close(): void {
    this.isClosed = true;
    for (const end of this.ends.splice(0)) end();
    for (const timer of this.running.values()) clearTimeout(timer);
    for (const clients of [...this.bySession.values()]) for (const client of [...clients]) client.end('shutdown');
  }

  /** Opens a stream. @throws PNS-9006 at a limit, and what the push service throws */
  async open(wanted: WantedStream, transport: StreamLine['transport']): Promise<void> {
    const { principal, address } = wanted;
    const key = `${principal.contextId}:${principal.userId}`;
    const leave = this.limits.enter(key, address);
    try {
      await this.slot();
      const { channel, topics } = await this.join(key, principal, transport).finally(() => this.freeSlot());
      const line = wanted.line();
      const start = wanted.position ?? channel.position;
      const client = new StreamClient(line, principal, wanted.topics, start, this.parts.settings.maxBufferBytes);
      client.subscribed(topics);
      if (client.wants(TOPICS.newMail)) this.parts.newMails.start(principal);
      streamMetrics.opened(transport);
      channel.clients.add(client);
      const siblings = this.bySession.get(principal.sessionId) ?? new Set();
      this.bySession.set(principal.sessionId, siblings.add(client));
      line.onGone(() => {
        client.end('client');
        leave();
        this.forget(key, channel, client);
      });
      client.hello();
      if (this.isClosed) client.end('shutdown');
      channel.resume(client).catch((error: unknown) => {
        this.parts.report(error, 'a stream could not resume');
        client.end('slow');
      });
      // It may have been closed while the stream opened, or be about to run out.
      this.checkSession(principal.sessionId).catch((error: unknown) =>
        this.parts.report(error, 'a session is not known'),
      );
    } catch (error) {
      leave();
      this.dropIfEmpty(key);
      throw error;
    }
  }

  private async join(key: string, principal: UserPrincipal, transport: StreamLine['transport']) {
    const { contextId, userId } = principal;
    let channel = this.channels.get(key);
    if (!channel) {
      const opened = (channel = this.createChannel(contextId, userId));
      this.channels.set(key, channel);
      // Listening comes before asking: what is committed after the answer is heard.
      const topic = noticeBroadcast(contextId, userId);
      this.stops.set(
        key,
        this.parts.events.onBroadcast<NoticeBroadcast>(topic, (message) => opened.hear(message)),
      );
    }
    const { topics } = await channel.open(transport);
    return { channel: this.keep(key, channel), topics };
  }

  /** Another stream of the user may have ended meanwhile, and the channel with it. */
  private keep(key: string, channel: Channel): Channel {
    if (!this.channels.has(key)) {
      this.channels.set(key, channel);
      const topic = noticeBroadcast(channel.contextId, channel.userId);
      this.stops.set(
        key,
        this.parts.events.onBroadcast<NoticeBroadcast>(topic, (message) => channel.hear(message)),
      );
    }
    return this.channels.get(key)!;
  }

  private createChannel(contextId: number, userId: number): Channel {
    const { caller, report } = this.parts;
    const principal: ServicePrincipal = { kind: 'internal', service: 'gateway', contextId };
    return new Channel(
      contextId,
      userId,
      {
        open: (transport) => caller.call(pushStreams.open, { principal, query: { user: userId, transport } }),
        replay: ({ epoch, seq, at }) =>
          caller.call(pushStreams.replay, {
            principal,
            query: { user: userId, epoch, after: seq, ...(at ? { at } : {}) },
          }),
      },
      (error) => report(error, 'notices of a user could not be fetched'),
    );
  }

  private forget(key: string, channel: Channel, client: StreamClient): void {
    channel.clients.delete(client);
    const siblings = this.bySession.get(client.sessionId);
    siblings?.delete(client);
    if (siblings?.size === 0) this.bySession.delete(client.sessionId);
    this.dropIfEmpty(key);
  }

  private dropIfEmpty(key: string): void {
    if (this.channels.get(key)?.clients.size !== 0) return;
    this.channels.delete(key);
    this.stops.get(key)?.();
    this.stops.delete(key);
  }

  private async slot(): Promise<void> {
    if (this.opening < OPENING) this.opening++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private freeSlot(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.opening--;
  }

  /** A share of all clients gets its sign of life. */
  private beat(): void {
    this.step = (this.step + 1) % STEPS;
    let index = 0;
    for (const { clients } of this.channels.values())
      for (const client of clients) if (index++ % STEPS === this.step && client.isLive) client.heartbeat();
  }

  /** Compares with the stores: sessions that ran out, notices whose word was lost. */
  private async check(): Promise<void> {
    const byContext = new Map<number, Channel[]>();
    for (const channel of this.channels.values()) {
      const known = byContext.get(channel.contextId);
      if (known) known.push(channel);
      else byContext.set(channel.contextId, [channel]);
    }
    for (const [contextId, channels] of byContext)
      await this.checkPositions(contextId, channels).catch((error: unknown) =>
        this.parts.report(error, 'positions of notices are not known'),
      );
    // Not waited for: without the mail service streams go on.
    for (const [contextId, channels] of byContext) void this.parts.newMails.extend(contextId, findWaiting(channels));
    await this.checkSessions().catch((error: unknown) => this.parts.report(error, 'sessions of streams are not known'));
  }

  private async checkPositions(contextId: number, channels: readonly Channel[]): Promise<void> {
    const principal: ServicePrincipal = { kind: 'internal', service: 'gateway', contextId };
    for (let at = 0; at < channels.length; at += USERS_PER_CALL) {
      const some = channels.slice(at, at + USERS_PER_CALL);
      const query = { users: some.map(({ userId }) => userId) };
      const before = new Map(some.map((channel) => [channel, channel.position]));
      const positions = await this.parts.caller.call(pushStreams.positions, { principal, query });
      for (const [channel, known] of before) {
        const position = positions[channel.userId];
        if (position) channel.moveTo(position, known);
        else await channel.open('sse');
      }
    }
  }

  private async checkSessions(): Promise<void> {
    for (const sessionId of [...this.bySession.keys()]) await this.checkSession(sessionId);
  }

  /** Ends the streams of a session that is over. One that will be before the next check is looked at again in time. */
  private async checkSession(sessionId: string): Promise<void> {
    const until = await this.parts.livesUntil(sessionId);
    if (until === undefined) {
      for (const client of this.bySession.get(sessionId) ?? []) client.end('session');
      return;
    }
    const left = until - Date.now();
    if (this.isClosed || left > this.parts.settings.checkMs || this.running.has(sessionId)) return;
    const again = () => {
      this.running.delete(sessionId);
      this.checkSession(sessionId).catch((error: unknown) => this.parts.report(error, 'a session is not known'));
    };
    this.running.set(sessionId, setTimeout(again, Math.max(0, left) + SPARE_MS).unref());
  }
}

/** Users with a stream that tells of new mails. */
const findWaiting = (channels: readonly Channel[]): UserPrincipal[] =>
  channels.flatMap(({ clients }) => {
    const waiting = [...clients].find((client) => !client.isEnded && client.wants(TOPICS.newMail));
    return waiting ? [waiting.principal] : [];
  });
