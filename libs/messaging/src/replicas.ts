/** Pace at which a process says that it is well, in ticks of the bus. */
export const BEAT_TICKS = 5;
/** A process that said nothing for so long is not used, ticks. */
const STALE_TICKS = 15;
/** Then it is gone for good, and the server has dropped it, ticks. */
const FORGET_TICKS = 120;

/** What a process says at each beat: its name and the services whose calls it takes. */
export interface Beat {
  readonly replica: string;
  readonly services: readonly string[];
}

/**
 * The processes of an installation by service, as their heartbeats tell. As long as all are well the queue groups of the server
 * spread the calls. When one falls silent without having left, which the server notices seconds later, calls go to the others
 * by name. Time is counted in ticks of this process, so that a pause of its own makes nobody stale.
 */
export class Replicas {
  private readonly quiet = new Map<string, { services: readonly string[]; ticks: number }>();
  private isAnyStale = false;

  /** Notes a beat. A process without services has left. */
  hear({ replica, services }: Beat): void {
    if (services.length === 0) this.quiet.delete(replica);
    else this.quiet.set(replica, { services, ticks: 0 });
    this.review();
  }

  /** One tick has passed. */
  tick(): void {
    for (const [replica, state] of this.quiet) {
      state.ticks += 1;
      if (state.ticks > FORGET_TICKS) this.quiet.delete(replica);
    }
    this.review();
  }

  /** Forgets everybody: the bus was away, and nobody was heard. */
  clear(): void {
    this.quiet.clear();
    this.isAnyStale = false;
  }

  /** A process that is well, when one of the service is not; undefined leaves the choice to the server. */
  pick(service: string): string | undefined {
    if (!this.isAnyStale) return undefined;
    const of = [...this.quiet].filter(([, { services }]) => services.includes(service));
    const well = of.filter(([, { ticks }]) => ticks <= STALE_TICKS);
    if (well.length === of.length) return undefined;
    return well[Math.floor(Math.random() * well.length)]?.[0];
  }

  /** Whether the service has processes, and none of them is well. */
  isSilent(service: string): boolean {
    const of = [...this.quiet.values()].filter(({ services }) => services.includes(service));
    return of.length > 0 && of.every(({ ticks }) => ticks > STALE_TICKS);
  }

  private review(): void {
    this.isAnyStale = false;
    for (const { ticks } of this.quiet.values()) if (ticks > STALE_TICKS) this.isAnyStale = true;
  }
}
