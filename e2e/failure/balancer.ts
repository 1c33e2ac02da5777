import { setTimeout as wait } from 'node:timers/promises';

/** How often a balancer asks for readiness, ms. */
export const PROBE_MS = 200;

/** A gateway as its balancer sees it. */
export interface Target {
  readonly publicUrl: string;
  readonly internalUrl: string;
}

/** Does what a balancer does: asks each gateway whether it is ready, and stops sending to those that are not. */
export class Balancer<T extends Target> {
  private ready: readonly T[] = [];
  private isClosed = false;
  private readonly probing: Promise<void>;

  /** @param list the gateways there are at the moment */
  constructor(private readonly list: () => readonly T[]) {
    this.probing = this.probe();
  }

  /** The gateways that requests may go to. */
  get targets(): readonly T[] {
    return this.ready;
  }

  /** Ends the probes. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.probing;
  }

  private async probe(): Promise<void> {
    while (!this.isClosed) {
      const answers = await Promise.all(
        this.list().map((target) =>
          fetch(`${target.internalUrl}/ready`).then(
            ({ ok }) => (ok ? [target] : []),
            () => [],
          ),
        ),
      );
      this.ready = answers.flat();
      await wait(PROBE_MS);
    }
  }
}
