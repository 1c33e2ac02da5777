import {
  noticeBroadcast,
  pushStreams,
  SESSIONS_CLOSED,
  type Notice,
  type SessionsClosed,
  type UserPrincipal,
} from '@groupware/contracts';
import { ann } from '../testing/edge.harness';
import type { StreamLine } from './stream-client';
import { StreamHub } from './stream-hub';
import type { EndReason } from './stream-metrics';
import { readPosition } from './stream-position';
import { StreamSettings } from './stream-settings';

const EPOCH = 7;
const settings = Object.assign(new StreamSettings(), { checkMs: 20_000, maxBufferBytes: 10_000, heartbeatMs: 25_000 });

/** The push service and the bus, with all notices of one user. */
class FakeService {
  readonly notices: Notice[] = [];
  lifetimes = new Map<string, number | undefined>();
  private readonly heard = new Map<string, Set<(message: never) => void>>();

  readonly newMails = { start: jest.fn(), extend: jest.fn(async () => undefined) };
  readonly parts = {
    settings,
    newMails: this.newMails,
    report: (error: unknown) => {
      throw error;
    },
    livesUntil: async (sessionId: string) => this.lifetimes.get(sessionId),
    caller: {
      call: async (operation: unknown, { query }: { query: { after?: number; users?: number[] } }) => {
        const position = { epoch: EPOCH, last: this.notices.length, at: this.notices.at(-1)?.at ?? 0 };
        if (operation === pushStreams.open) return position;
        if (operation === pushStreams.positions)
          return Object.fromEntries(query.users!.map((user) => [user, position]));
        return { ...position, notices: this.notices.slice(query.after, query.after! + 200), lost: false };
      },
    },
    events: {
      onBroadcast: (topic: string, handler: (message: never) => void) => {
        const handlers = this.heard.get(topic) ?? new Set();
        this.heard.set(topic, handlers.add(handler));
        return () => void handlers.delete(handler);
      },
    },
  };

  /** Something happens; `isHeard`: word of it arrives. */
  tell(text = '', isHeard = true): void {
    const notice = { seq: this.notices.length + 1, topic: 'ox:mail:new', data: { text }, at: Date.now() };
    this.notices.push(notice);
    if (isHeard) this.broadcast(noticeBroadcast(ann.contextId, ann.userId), { epoch: EPOCH, notice });
  }

  broadcast(topic: string, message: object): void {
    for (const handler of this.heard.get(topic) ?? []) handler(message as never);
  }
}

/** A connection; one that does not read keeps all bytes waiting. */
class FakeLine implements StreamLine {
  readonly transport = 'sse';
  readonly seen: number[] = [];
  waitingBytes = 0;
  mostWaiting = 0;
  ended: EndReason | undefined;
  lastId = '';
  private gone: () => void = () => undefined;

  constructor(private readonly isReading = true) {}

  hello(id: string): void {
    this.lastId = id;
  }
  notice(id: string, notice: Notice): void {
    this.seen.push(notice.seq);
    if (this.isReading) this.lastId = id;
    else this.waitingBytes += JSON.stringify(notice).length;
    this.mostWaiting = Math.max(this.mostWaiting, this.waitingBytes);
  }
  resync = jest.fn();
  heartbeat(): void {}
  end(reason: EndReason): void {
    this.ended = reason;
    this.gone();
  }
  onGone(gone: () => void): void {
    this.gone = gone;
  }
}

let service: FakeService;
let hub: StreamHub;
beforeEach(() => {
  jest.useFakeTimers();
  service = new FakeService();
  service.lifetimes.set(ann.sessionId, Date.now() + 3_600_000);
  hub = new StreamHub(service.parts as never);
  hub.start();
});
afterEach(() => {
  hub.close();
  jest.useRealTimers();
});

async function open(
  line = new FakeLine(),
  options: { lastId?: string; principal?: UserPrincipal; topics?: string[] } = {},
) {
  const { lastId, principal = ann, topics } = options;
  const position = readPosition(lastId);
  const wanted = { principal, address: 'a', ...(position ? { position } : {}), ...(topics ? { topics } : {}) };
  await hub.open({ ...wanted, line: () => line }, 'sse');
  await jest.advanceTimersByTimeAsync(1);
  return line;
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a stream', () => {
  it('of a session that runs out ends then, not at the next check', async () => {
    service.lifetimes.set(ann.sessionId, Date.now() + 5_000);
    const line = await open();
    await jest.advanceTimersByTimeAsync(4_900);
    expect(line.ended).toBeUndefined();
    service.lifetimes.set(ann.sessionId, undefined);
    await jest.advanceTimersByTimeAsync(200);
    expect(line.ended).toBe('session');
  });

  it('goes on while its session is used, and ends when that stops', async () => {
    const line = await open();
    for (const end of [30_000, 60_000]) {
      service.lifetimes.set(ann.sessionId, Date.now() + end);
      await jest.advanceTimersByTimeAsync(end - 5_000);
      expect(line.ended).toBeUndefined();
    }
    service.lifetimes.set(ann.sessionId, undefined);
    await jest.advanceTimersByTimeAsync(5_100);
    expect(line.ended).toBe('session');
  });

  it('ends at once when its session is closed, others go on; one that was closed meanwhile does not begin', async () => {
    const other = { ...ann, sessionId: 'f'.repeat(32) };
    service.lifetimes.set(other.sessionId, Date.now() + 3_600_000);
    const [mine, others] = [await open(), await open(new FakeLine(), { principal: other })];
    const closed: SessionsClosed = { sessionIds: [ann.sessionId] };
    service.broadcast(SESSIONS_CLOSED, closed);
    expect([mine.ended, others.ended]).toEqual(['session', undefined]);
    service.lifetimes.set(ann.sessionId, undefined);
    expect((await open()).ended).toBe('session');
  });

  it('of a client that does not read is cut off before much waits for it, and holds up nobody; it resumes', async () => {
    const [slow, witness] = [await open(new FakeLine(false)), await open()];
    const text = 'x'.repeat(1_000);
    for (let count = 0; count < 500; count++) service.tell(text);
    expect(slow.ended).toBe('slow');
    expect(slow.mostWaiting).toBeLessThan(settings.maxBufferBytes + 1_200);
    expect(slow.seen.length).toBeLessThan(15);
    expect(witness.seen).toEqual(upTo(500));
    // It comes back where it was; what is sent is no more than it reads.
    const resumed = await open(new FakeLine(), { lastId: slow.lastId });
    expect(resumed.seen).toEqual(upTo(500));
    const stuck = await open(new FakeLine(false), { lastId: slow.lastId });
    await jest.advanceTimersByTimeAsync(31_000);
    expect(stuck.ended).toBe('slow');
    expect(stuck.mostWaiting).toBeLessThan(settings.maxBufferBytes);
  });

  it('misses nothing and gets nothing twice, whatever words are lost or come twice', async () => {
    const line = await open();
    for (let count = 0; count < 1_000; count++) {
      service.tell('', count % 3 > 0 && count % 50 < 40);
      if (count % 97 === 0) {
        const notice = service.notices[Math.floor(count / 2)]!;
        service.broadcast(noticeBroadcast(ann.contextId, ann.userId), { epoch: EPOCH, notice });
      }
      if (count % 10 === 0) await jest.advanceTimersByTimeAsync(1);
    }
    await jest.advanceTimersByTimeAsync(settings.checkMs * 2);
    expect(line.seen).toEqual(upTo(1_000));
    expect(line.resync).not.toHaveBeenCalled();
  });

  it('of a client that was away for five minutes goes on: no gap, nothing twice', async () => {
    const first = await open();
    for (let count = 0; count < 20; count++) service.tell();
    first.end('client');
    for (let second = 0; second < 300; second++) {
      service.tell();
      await jest.advanceTimersByTimeAsync(1_000);
    }
    service.lifetimes.set(ann.sessionId, Date.now() + 3_600_000);
    const opening = open(new FakeLine(), { lastId: first.lastId });
    // Things go on while it comes back.
    for (let count = 0; count < 10; count++) service.tell();
    const second = await opening;
    for (let count = 0; count < 10; count++) service.tell();
    await jest.advanceTimersByTimeAsync(settings.checkMs);
    expect([...first.seen, ...second.seen]).toEqual(upTo(340));
    expect(second.resync).not.toHaveBeenCalled();
  });

  it('that tells of mails lets new ones be listened for, as long as it is open', async () => {
    const { start, extend } = service.newMails;
    await open(new FakeLine(), { topics: ['ox:calendar:*'] });
    await jest.advanceTimersByTimeAsync(settings.checkMs);
    expect(start).not.toHaveBeenCalled();
    expect(extend.mock.lastCall).toEqual([ann.contextId, []]);
    const line = await open(new FakeLine(), { topics: ['ox:mail:*'] });
    expect(start.mock.calls).toEqual([[ann]]);
    await jest.advanceTimersByTimeAsync(settings.checkMs);
    expect(extend.mock.lastCall).toEqual([ann.contextId, [ann]]);
    line.end('client');
    await jest.advanceTimersByTimeAsync(settings.checkMs);
    expect(extend.mock.lastCall).toEqual([ann.contextId, []]);
  });
});
