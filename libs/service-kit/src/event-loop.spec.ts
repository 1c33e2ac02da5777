import { setImmediate as turn } from 'node:timers/promises';
import { isTurnOver, yieldToEventLoop } from './event-loop';

function holdLoop(): void {
  while (!isTurnOver());
}

describe('a turn of the event loop', () => {
  it('is over when the work of all who share it has held it long enough, and begins anew after a pause', async () => {
    await turn();
    expect(isTurnOver()).toBe(false);
    holdLoop();
    expect(isTurnOver()).toBe(true);
    await yieldToEventLoop();
    expect(isTurnOver()).toBe(false);
  });

  it('wakes one of those who wait, in their order, and lets others in between', async () => {
    const order: string[] = [];
    const work = async (name: string) => {
      for (let piece = 0; piece < 2; piece++) {
        await yieldToEventLoop();
        order.push(name);
      }
    };
    let isDone = false;
    const other = (async () => {
      while (!isDone) {
        await turn();
        order.push('-');
      }
    })();
    await Promise.all([work('a'), work('b')]);
    isDone = true;
    await other;
    expect(order.filter((name) => name !== '-').join('')).toBe('abab');
    expect(order.join('')).not.toMatch(/[ab]{2}/);
  });
});
