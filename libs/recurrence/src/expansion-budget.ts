import { RecurrenceError } from './recurrence-error';
import { DEFAULT_MAX_STEPS, StepBudget } from './step-budget';

/**
 * The steps that one request may spend on expanding series, all of them together. Each question about a series has the limit of
 * the engine as well.
 */
export class ExpansionBudget {
  private left: number;

  constructor(readonly maxSteps: number) {
    this.left = maxSteps;
  }

  /** Whether nothing more can be expanded. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  /** Answers a question about a series. @throws RecurrenceError TOO_COMPLEX when it costs too much, or nothing is left */
  spend<T>(ask: (steps: StepBudget) => T): T {
    if (this.isSpent)
      throw new RecurrenceError('TOO_COMPLEX', `all series together need more than ${this.maxSteps} steps`);
    const steps = new StepBudget(Math.min(DEFAULT_MAX_STEPS, this.left));
    try {
      return ask(steps);
    } finally {
      // A question costs something even where it takes no step.
      this.left -= steps.used + 1;
    }
  }
}
