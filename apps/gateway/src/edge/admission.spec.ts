import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Admission, STAGES } from './admission';

class Request extends EventEmitter {
  socket = { bytesRead: 0 };
  isDestroyed = false;
  destroy(): void {
    this.isDestroyed = true;
  }
}
const limits = { maxConcurrent: 3, maxConcurrentPerAddress: 2, maxReceiving: 3, maxReceivingPerAddress: 2 };
let admission: Admission;
beforeEach(() => (admission = new Admission(limits)));
const counts = () => STAGES.map((stage) => admission.count(stage));

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
    expect(counts()).toEqual([2, 2, 1]);
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
    expect(counts()).toEqual([0, 1, 0]);
    place!.enter(undefined);
    const gone = beginBody();
    gone.place!.enter(undefined);
    gone.request.emit('end');
    expect(counts()).toEqual([0, 0, 0]);
  });
});
