/** One counter of an attempt, with what holds for it now. */
export interface CounterRule {
  /** Name in the store. */
  readonly key: string;
  /** Attempts of one window. */
  readonly points: number;
  readonly windowMs: number;
  /** A counter that never refuses; others may be active only while it is full. */
  readonly gauge: boolean;
  /** Position of the counter in the list that must be full for this one to refuse. */
  readonly whileFull?: number;
}

/** A begun attempt: the window each of its counters was in, for what is taken back must be of the same one. */
export interface BegunAttempt {
  readonly kind: 'begun';
  readonly windows: readonly string[];
  /** Attempts left after this one, by the strictest of the counters that hold. */
  readonly remaining: number;
}

/** A refused attempt, of which nothing was counted. */
export interface RefusedAttempt {
  /** `busy`: attempts that are under way fill the counter, and their outcome may make room. */
  readonly kind: 'refused' | 'busy';
  /** Position of the counter that refused. */
  readonly at: number;
  /** Time until its window ends, ms. */
  readonly waitMs: number;
}

/** Counts attempts on several counters in one step. */
export interface AttemptCounters {
  /** Counts on all counters, or on none when one is full. */
  beginAttempt(rules: readonly CounterRule[]): Promise<BegunAttempt | RefusedAttempt>;
  /** Ends an attempt; `refund` takes back what it counted, where the window is still the same. */
  settleAttempt(rules: readonly CounterRule[], windows: readonly string[], refund: boolean): Promise<void>;
}
