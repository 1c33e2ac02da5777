import { setTimeout } from 'node:timers/promises';
import type { TimerOptions } from 'node:timers';

/** Waits so long, ms; ends early with the signal, without an error. */
export const pause = (ms: number, options: TimerOptions = {}): Promise<void> =>
  setTimeout(ms, undefined, options).catch(() => undefined);
