import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Admission } from './admission';

class Request extends EventEmitter {
  socket = { bytesRead: 0 };
  isDestroyed = false;
  destroy(): void {
    this.isDestroyed = true;
  }
}
const limits = { maxConcurrent: 3, maxConcurrentPerAddress: 2, maxReceiving: 3, maxReceivingPerAddress: 2 };
const seen = new Map<string, number>();
let admission: Admission;
beforeEach(() => (admission = new Admission(limits, (stage, count) => seen.set(stage, count))));

const begin = (network = 'a') => admission.begin(new Request() as EventEmitter as IncomingMessage, network);
const beginBody = (network = 'a', request = new Request()) => ({
  request,
  place: admission.beginBody(request as EventEmitter as IncomingMessage, network),
});

describe('admission', () => {
  it('bounds the work for one client and for all', () => {
    expect([begin(), begin(), begin()].map(Boolean)).toEqual([true, true, false]);
    const other = begin('b');
    expect(begin('c')).toBeUndefined();
    other!.enter(undefined);
    expect(begin('c')).toBeDefined();
  });

  it('counts bodies and answers on their way apart from work', () => {
    beginBody();
    beginBody();
    const first = begin()!;
    begin();
    expect(begin()).toBeUndefined();
    first.enter('sending');
    expect(begin()).toBeDefined();
    expect(Object.fromEntries(seen)).toEqual({ receiving: 2, running: 2, sending: 1 });
  });

  it('gives up the slowest body for a new one, of the same client where that has too many', async () => {
    const [fast, slow, other] = [beginBody(), beginBody(), beginBody('b')];
    expect(beginBody().place).toBeUndefined();
    await wait(550);
    fast.request.socket.bytesRead = 1_000;
    other.request.socket.bytesRead = 500;
    expect(beginBody().place).toBeDefined();
    expect([fast, slow, other].map(({ request }) => request.isDestroyed)).toEqual([false, true, false]);
    expect(beginBody('c').place).toBeDefined();
    expect(other.request.isDestroyed).toBe(true);
  });

  it('takes a body that is complete for work, and one that ended for nothing', () => {
    const { request, place } = beginBody();
    request.emit('end');
    expect(seen.get('running')).toBe(1);
    place!.enter(undefined);
    const gone = beginBody();
    gone.place!.enter(undefined);
    gone.request.emit('end');
    expect(Object.fromEntries(seen)).toMatchObject({ receiving: 0, running: 0 });
  });
});
