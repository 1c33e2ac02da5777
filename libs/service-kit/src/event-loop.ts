/** So long may work that can pause hold the event loop in one turn, ms: all such work of the process together. */
const TURN_MS = 12;

let turnBeganAt: number | undefined;
const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Whether this turn of the event loop has been held long enough: then `await yieldToEventLoop()` before the next piece of work.
 * All that ask in one turn share it, so that many requests at a time hold the loop no longer than one.
 */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (turnBeganAt === undefined) {
    turnBeganAt = now;
    setImmediate(() => (turnBeganAt = undefined));
  }
  return now - turnBeganAt > TURN_MS;
}

/** Yields to other work; waiters are resumed in order, one per turn of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    scheduleTurn();
  });
}

/** Awaited before the next piece of work; undefined while this turn has time for it. */
export const pauseAfterTurn = (): Promise<void> | undefined => (isTurnOver() ? yieldToEventLoop() : undefined);

function scheduleTurn(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    turnBeganAt = undefined;
    waiting.shift()?.();
    if (waiting.length > 0) scheduleTurn();
  });
}
