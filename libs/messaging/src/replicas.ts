/** Pace at which a process says that it is well, in ticks of the bus. */
export const BEAT_TICKS = 5;
/** A process that said nothing for so long is not used, ticks. */
const STALE_TICKS = 15;
/** Then it is gone for good, and the server has dropped it, ticks. */
const FORGET_TICKS = 120;

/** So long a queue group that lost a call is not used, ticks: some member is a connection that is read no more. */
const SUSPECT_TICKS = 600;

/** Content of a heartbeat: name of the process and the services whose calls it takes. */
export interface Beat {
  readonly replica: string;
  readonly services: readonly string[];
}

/**
 * The processes of an installation by service, as their heartbeats tell. As long as all are well the queue groups of the server
 * spread the calls. When one falls silent without having left, which the server notices seconds later, calls go to the others
 * by name. So they do when a queue group loses a call though all are well: a process that came back on another connection leaves
 * its old one in the group until the server drops it, which some never do while there is something to send to it. Time is
 * counted in ticks of this process, so that a pause of its own makes none stale.
 */
export class Replicas {
  private readonly quiet = new Map<string, { services: readonly string[]; ticks: number }>();
  private isAnyStale = false;
  /** Services whose queue groups are avoided, with the ticks that are left. */
  private readonly suspects = new Map<string, number>();

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
    for (const [service, ticks] of this.suspects)
      if (ticks > 1) this.suspects.set(service, ticks - 1);
      else this.suspects.delete(service);
    this.review();
  }

  /** Forgets all processes: the bus was away, and none was heard. */
  clear(): void {
    this.quiet.clear();
    this.isAnyStale = false;
  }

  /** Calls of the service go to its processes by name for a while: its queue group lost one. */
  suspectGroup(service: string): void {
    this.suspects.set(service, SUSPECT_TICKS);
  }

  /** A process that is well, when one of the service is not or its queue group loses calls; undefined leaves the choice to the server. */
  pick(service: string): string | undefined {
    const isSuspect = this.suspects.has(service);
    if (!this.isAnyStale && !isSuspect) return undefined;
    const of = this.listStates(service);
    const well = of.filter(([, { ticks }]) => ticks <= STALE_TICKS);
    if (well.length === of.length && !isSuspect) return undefined;
    return well[Math.floor(Math.random() * well.length)]?.[0];
  }

  /** Whether a process of the service is well. */
  isAnyWell(service: string): boolean {
    return this.listStates(service).some(([, { ticks }]) => ticks <= STALE_TICKS);
  }

  /** Whether the service has processes, and none of them is well. */
  isSilent(service: string): boolean {
    return this.listStates(service).length > 0 && !this.isAnyWell(service);
  }

  private listStates(service: string) {
    return [...this.quiet].filter(([, { services }]) => services.includes(service));
  }

  private review(): void {
    this.isAnyStale = false;
    for (const { ticks } of this.quiet.values()) if (ticks > STALE_TICKS) this.isAnyStale = true;
  }
}
