import type { AttemptCounters, BegunAttempt, CounterRule, RefusedAttempt } from './attempt-counters';

interface Counter {
  readonly window: string;
  readonly endsAt: number;
  count: number;
  pending: number;
}

/** Counters that a process keeps; the oldest go first. */
const MAX_COUNTERS = 20_000;

/**
 * Counters of one process, for the time in which the shared ones are away. The same rules, in one turn of the event loop. What the
 * shared ones count for the process is counted here, too: an outage gives no attempts anew.
 */
export class LocalAttemptCounters implements AttemptCounters {
  private readonly counters = new Map<string, Counter>();
  private lastWindow = 0;

  constructor(private readonly now: () => number) {}

  /** @throws never */
  async beginAttempt(rules: readonly CounterRule[]): Promise<BegunAttempt | RefusedAttempt> {
    const found = rules.map(({ key }) => this.live(key));
    const isFull = (at: number) => (found[at]?.count ?? 0) >= rules[at]!.points;
    const holds = ({ gauge, whileFull }: CounterRule) => !gauge && (whileFull === undefined || isFull(whileFull));
    const refusals = rules.flatMap((rule, at): RefusedAttempt[] => {
      const counter = found[at];
      if (!counter || !isFull(at) || !holds(rule)) return [];
      const kind = counter.count - counter.pending >= rule.points ? 'refused' : 'busy';
      return [{ kind, at, waitMs: counter.endsAt - this.now() }];
    });
    const refusal = refusals.find(({ kind }) => kind === 'refused') ?? refusals[0];
    if (refusal) return refusal;
    const counters = this.addAttempt(rules);
    const left = rules.flatMap((rule, at) => (holds(rule) ? [rule.points - counters[at]!.count] : []));
    return { kind: 'begun', windows: counters.map(({ window }) => window), remaining: Math.min(...left) };
  }

  /** Counts an attempt that was begun elsewhere, whether or not a counter is full; answers the windows. */
  mirrorAttempt(rules: readonly CounterRule[]): readonly string[] {
    return this.addAttempt(rules).map(({ window }) => window);
  }

  private addAttempt(rules: readonly CounterRule[]): Counter[] {
    const counters = rules.map((rule) => this.live(rule.key) ?? this.create(rule));
    for (const counter of counters) {
      counter.count++;
      counter.pending++;
    }
    return counters;
  }

  /** @throws never */
  async settleAttempt(rules: readonly CounterRule[], windows: readonly string[], refund: boolean): Promise<void> {
    for (const [at, { key }] of rules.entries()) {
      const counter = this.live(key);
      if (!counter || counter.window !== windows[at]) continue;
      counter.pending = Math.max(0, counter.pending - 1);
      if (refund) counter.count = Math.max(0, counter.count - 1);
    }
  }

  private live(key: string): Counter | undefined {
    const counter = this.counters.get(key);
    if (counter && counter.endsAt > this.now()) return counter;
    this.counters.delete(key);
    return undefined;
  }

  private create({ key, windowMs }: CounterRule): Counter {
    for (const oldest of this.counters.keys()) {
      if (this.counters.size < MAX_COUNTERS) break;
      this.counters.delete(oldest);
    }
    const counter = { window: String(++this.lastWindow), endsAt: this.now() + windowMs, count: 0, pending: 0 };
    this.counters.set(key, counter);
    return counter;
  }
}
