import { describeError } from '../describe-error';
import { Logger } from '../log/logger';

const log = Logger.for('process');

/** Closes what a process has opened, the last opened first. A step that fails keeps none of the others from happening. */
export class Closers {
  private readonly steps: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.steps.push(close);
  }

  async closeAll(): Promise<void> {
    for (const close of this.steps.splice(0).reverse()) await attempt(close);
  }
}

/** Takes one step of a shutdown; a failure is logged. */
export async function attempt(step: () => unknown): Promise<void> {
  try {
    await step();
  } catch (error) {
    log.warn({ error: describeError(error) }, 'while closing');
  }
}
