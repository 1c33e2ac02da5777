import { setTimeout as wait } from 'node:timers/promises';

/** How often a balancer asks for readiness, ms. */
export const PROBE_MS = 200;
/** A gateway that does not answer for so long is not ready, ms. */
const TIMEOUT_MS = 10_000;

/** A gateway as its balancer sees it. */
export interface Target {
  readonly publicUrl: string;
  readonly internalUrl: string;
}

/** Does what a balancer does: asks each gateway whether it is ready, and stops sending to those that are not. */
export class Balancer<T extends Target> {
  private readonly ready = new Set<T>();
  /** Probes under way: a gateway that answers late delays no other. */
  private readonly running = new Map<T, Promise<void>>();
  private isClosed = false;
  private readonly probing: Promise<void>;

  /** @param list the gateways there are at the moment */
  constructor(private readonly list: () => readonly T[]) {
    this.probing = this.probe();
  }

  /** The gateways that requests may go to. */
  get targets(): readonly T[] {
    return this.list().filter((target) => this.ready.has(target));
  }

  /** Ends the probes. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.probing;
    await Promise.all(this.running.values());
  }

  private async probe(): Promise<void> {
    while (!this.isClosed) {
      for (const target of this.list())
        if (!this.running.has(target)) this.running.set(target, this.probeTarget(target));
      await wait(PROBE_MS);
    }
  }

  private async probeTarget(target: T): Promise<void> {
    const isReady = await askReadiness(target).catch(() => false);
    if (isReady) this.ready.add(target);
    else this.ready.delete(target);
    this.running.delete(target);
  }
}

async function askReadiness({ internalUrl }: Target): Promise<boolean> {
  const response = await fetch(`${internalUrl}/ready`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.arrayBuffer();
  return response.ok;
}
