import { RecurrenceError } from './recurrence-error';

/**
 * Steps one call may take unless it says otherwise; a step is one period or one occurrence looked at, and takes 0.2 µs: a call
 * holds the event loop for some 20 ms at most.
 */
export const DEFAULT_MAX_STEPS = 100_000;

/** Counts the work of one call, so that no rule can keep the process busy; tests read `used` as the cost. */
export class StepBudget {
  used = 0;

  constructor(readonly max: number = DEFAULT_MAX_STEPS) {}

  /** Takes one step; throws {@link RecurrenceError} `TOO_COMPLEX` when none is left. */
  take(): void {
    if (++this.used > this.max) {
      throw new RecurrenceError('TOO_COMPLEX', `the recurrence needs more than ${this.max} steps`);
    }
  }
}
