/** Lets some pieces of work run at a time; the others wait in the order in which they came. */
export class Turns {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly atOnce: number) {}

  /** How many wait. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Runs work when its turn comes. */
  async runInTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running++;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.running--;
    }
  }
}
