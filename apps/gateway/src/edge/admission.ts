import type { IncomingMessage } from 'node:http';

/** How many requests one listener has in hand. */
export interface AdmissionLimits {
  /** Most requests that are worked on. */
  readonly maxConcurrent: number;
  /** The same for one client network. */
  readonly maxConcurrentPerAddress: number;
  /** Most requests whose body is on its way. */
  readonly maxReceiving: number;
  /** The same for one client network. */
  readonly maxReceivingPerAddress: number;
}

/** Stages of a request: its body comes in, it is worked on, or its answer goes out. */
export const STAGES = ['receiving', 'running', 'sending'] as const;
export type Stage = (typeof STAGES)[number];

/** A body that is younger is not given up for another, ms. */
const MIN_AGE_MS = 500;

class Counts {
  private readonly byNetwork = new Map<string, number>();
  total = 0;

  of(network: string): number {
    return this.byNetwork.get(network) ?? 0;
  }

  add(network: string, change: 1 | -1): void {
    this.total += change;
    const count = this.of(network) + change;
    if (count > 0) this.byNetwork.set(network, count);
    else this.byNetwork.delete(network);
  }
}

/** The place of one admitted request. */
export class Place {
  readonly since = performance.now();
  private readonly bytesBefore: number;
  private stage: Stage | undefined;

  constructor(
    private readonly admission: Admission,
    readonly network: string,
    readonly request: IncomingMessage,
    stage: Stage,
  ) {
    this.bytesBefore = request.socket.bytesRead;
    this.enter(stage);
  }

  /** Goes on to another stage; undefined: the request is over. */
  enter(stage: Stage | undefined): void {
    if (this.stage === stage) return;
    const former = this.stage;
    this.stage = stage;
    this.admission.move(this, former, stage);
  }

  /** The body is complete. */
  received(): void {
    if (this.stage === 'receiving') this.enter('running');
  }

  /** Bytes a second that came so far, roughly. */
  rate(now: number): number {
    return (this.request.socket.bytesRead - this.bytesBefore) / (now - this.since + 1);
  }
}

/**
 * Bounds what one listener has in hand. Bodies on their way and answers on theirs are counted apart from work, so that slow
 * clients take no place from others; where too many bodies are on their way, the slowest is given up for a new one.
 */
export class Admission {
  private readonly receiving = new Set<Place>();
  private readonly counts: Record<Stage, Counts> = {
    receiving: new Counts(),
    running: new Counts(),
    sending: new Counts(),
  };

  constructor(private readonly limits: AdmissionLimits) {}

  /** Requests at a stage. */
  count(stage: Stage): number {
    return this.counts[stage].total;
  }

  /** Takes a place for a request whose body is complete, or which has none; undefined when there is none left. */
  begin(request: IncomingMessage, network: string): Place | undefined {
    const { running } = this.counts;
    const { maxConcurrent, maxConcurrentPerAddress } = this.limits;
    if (running.total >= maxConcurrent || running.of(network) >= maxConcurrentPerAddress) return undefined;
    return new Place(this, network, request, 'running');
  }

  /** Takes a place for a request whose body is on its way; undefined when there is none left. */
  beginBody(request: IncomingMessage, network: string): Place | undefined {
    const { receiving } = this.counts;
    const { maxReceiving, maxReceivingPerAddress } = this.limits;
    if (receiving.of(network) >= maxReceivingPerAddress && !this.giveUpSlowest(network)) return undefined;
    if (receiving.total >= maxReceiving && !this.giveUpSlowest()) return undefined;
    const place = new Place(this, network, request, 'receiving');
    request.once('end', () => place.received());
    return place;
  }

  /** For places only: counts what changed. */
  move(place: Place, from: Stage | undefined, to: Stage | undefined): void {
    if (from) this.counts[from].add(place.network, -1);
    if (to) this.counts[to].add(place.network, 1);
    if (from === 'receiving') this.receiving.delete(place);
    if (to === 'receiving') this.receiving.add(place);
  }

  private giveUpSlowest(network?: string): boolean {
    const now = performance.now();
    let slowest: Place | undefined;
    for (const place of this.receiving)
      if ((network === undefined || place.network === network) && now - place.since >= MIN_AGE_MS)
        if (!slowest || place.rate(now) < slowest.rate(now)) slowest = place;
    if (!slowest) return false;
    slowest.enter(undefined);
    slowest.request.destroy();
    return true;
  }
}
