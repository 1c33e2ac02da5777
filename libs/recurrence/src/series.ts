import { DAY_MS, MAX_LOCAL_MS, MIN_LOCAL_MS } from './calendar-math';
import { plainSequence, type Sequence } from './plain-sequence';
import { RecurrenceError } from './recurrence-error';
import { RuleSequence } from './rule-sequence';
import type { RecurrenceRule } from './rule';
import { StepBudget } from './step-budget';
import { ZoneOffsets } from './zone-offsets';

/**
 * A recurring event. Treat it as immutable: what was worked out about it is kept with the object.
 * "Local ms" are a wall clock time written as if it were UTC: 09:00 in Berlin is `Date.UTC(y, m, d, 9)`.
 */
export interface Series {
  /** Without a rule DTSTART is the only occurrence besides `rdates`. */
  readonly rule?: RecurrenceRule;
  /** DTSTART in local ms. It is an occurrence only when it matches the rule. */
  readonly startLocalMs: number;
  /** As `resolveTimeZone` gives it; `UTC` for all-day and floating events. */
  readonly timeZone: string;
  /** Exact length in ms; whole days for all-day events. */
  readonly durationMs: number;
  readonly allDay: boolean;
  /** RDATE: additional occurrences, local ms. */
  readonly rdates?: readonly number[];
  /** Those of `rdates` that have a length of their own (RFC 5545 §3.8.5.2: `VALUE=PERIOD`). */
  readonly rdatePeriods?: readonly RdatePeriod[];
  /** EXDATE: occurrences that are left out but keep their number, local ms. */
  readonly exdates?: readonly number[];
}

/** An additional occurrence with another length than the series. */
export interface RdatePeriod {
  /** Start in local ms, one of `rdates`. */
  readonly localMs: number;
  /** As `durationMs` of the series. */
  readonly durationMs: number;
}

/** One occurrence of a series. */
export interface Occurrence {
  /** Start, instant in ms. */
  readonly startMs: number;
  /** End, instant in ms (exclusive). */
  readonly endMs: number;
  /** Original start as local ms: what RECURRENCE-ID and EXDATE name. */
  readonly localMs: number;
  /** Number in the sequence, from 1; EXDATEs keep theirs. Filled in when asked for and by `occurrenceAt`. */
  readonly position?: number;
}

/** How a question about a series is answered. */
export interface RangeOptions {
  /** Stop after so many occurrences; all of them unless given. */
  readonly limit?: number;
  /** Number the occurrences; costs nothing more for the usual rules. */
  readonly positions?: boolean;
  /** Steps that may be taken before {@link RecurrenceError} `TOO_COMPLEX` is thrown (100,000 unless given). */
  readonly maxSteps?: number;
  /** Counts the steps instead; its own limit holds. */
  readonly steps?: StepBudget;
}

/**
 * All occurrences that overlap [fromMs, toMs) (instants), without EXDATEs, ordered by start. One that begins and ends
 * at the same moment counts when it begins in the range. Costs what lies in the range, however far DTSTART is.
 * Throws {@link RecurrenceError}.
 */
export function occurrencesBetween(
  series: Series,
  fromMs: number,
  toMs: number,
  options: RangeOptions = {},
): Occurrence[] {
  return expand(series, fromMs, toMs, options, options.steps ?? new StepBudget(options.maxSteps));
}

/** Number (from 1) that a local time has in the sequence, EXDATEs counted; `undefined` when it is no occurrence. */
export function positionOf(series: Series, localMs: number): number | undefined {
  const compiled = compile(series);
  const steps = new StepBudget();
  return compiled.isMember(localMs, steps) ? compiled.countBefore(localMs, steps) + 1 : undefined;
}

/** The occurrence with a number (from 1), also when an EXDATE removed it; `undefined` when the series is shorter. */
export function occurrenceAt(series: Series, position: number): Occurrence | undefined {
  const compiled = compile(series);
  const localMs = compiled.nth(position, new StepBudget());
  return localMs === undefined ? undefined : compiled.occurrence(localMs, position);
}

/** The first occurrence, also when an EXDATE removed it; `undefined` when the rule never matches. */
export function firstOccurrence(series: Series): Occurrence | undefined {
  return occurrenceAt(series, 1);
}

/**
 * The instant at which the last occurrence has ended (EXDATEs included); `undefined` = endless. Never throws for cost:
 * where the exact answer would be too expensive it is an upper bound. The start of the series when nothing matches.
 */
export function lastEndMs(series: Series): number | undefined {
  return compile(series).lastEnd();
}

/** Whether a local time is the start of an occurrence that is not removed by an EXDATE. */
export function isOccurrence(series: Series, localMs: number): boolean {
  const compiled = compile(series);
  return !compiled.isExcluded(localMs) && compiled.isMember(localMs, new StepBudget());
}

/** The first occurrence that starts after an instant, without EXDATEs; `undefined` when there is none. */
export function nextAfter(series: Series, instantMs: number): Occurrence | undefined {
  const compiled = compile(series);
  const steps = new StepBudget();
  let next: Occurrence | undefined;
  let settledAt = Infinity;
  compiled.scan(compiled.localBounds(instantMs).low, MAX_LOCAL_MS, steps, (localMs) => {
    if (localMs > settledAt) return false;
    const occurrence = compiled.occurrence(localMs);
    if (
      occurrence.startMs > instantMs &&
      !compiled.isExcluded(localMs) &&
      !(next && next.startMs <= occurrence.startMs)
    ) {
      next = occurrence;
      // Around a change of the clocks a later wall clock time can be an earlier instant.
      settledAt = compiled.localBounds(occurrence.startMs).high;
    }
    return localMs < settledAt;
  });
  return next;
}

/**
 * Checks a series before it is stored: the rule must suit DTSTART, the zone must be known and the first occurrence
 * must be found within bounded work. Throws {@link RecurrenceError}.
 */
export function validateSeries(series: Series): void {
  const compiled = compile(series);
  compiled.nth(1, new StepBudget());
}

/** `occurrencesBetween` with the caller's own step counter. */
export function expand(
  series: Series,
  fromMs: number,
  toMs: number,
  options: RangeOptions,
  steps: StepBudget,
): Occurrence[] {
  const found: Occurrence[] = [];
  const limit = options.limit ?? Infinity;
  if (!(fromMs < toMs) || limit <= 0) return found;
  const compiled = compile(series);
  const low = compiled.localBounds(fromMs - compiled.longestMs).low;
  const high = compiled.localBounds(toMs).high;
  let position = options.positions ? compiled.countBefore(low, steps) : NaN;
  let ordered = true;
  compiled.scan(low, high, steps, (localMs) => {
    position++;
    const startMs = compiled.zone.localToInstant(localMs);
    if (startMs >= toMs) return true;
    const endMs = compiled.endOf(localMs, startMs);
    if (endMs <= fromMs && (startMs < fromMs || endMs > startMs)) return true;
    if (compiled.isExcluded(localMs)) return true;
    if (found.length > 0 && startMs < found[found.length - 1]!.startMs) ordered = false;
    found.push(options.positions ? { startMs, endMs, localMs, position } : { startMs, endMs, localMs });
    return found.length < limit;
  });
  return ordered ? found : found.sort((a, b) => a.startMs - b.startMs || a.localMs - b.localMs);
}

const compiledSeries = new WeakMap<Series, CompiledSeries>();

function compile(series: Series): CompiledSeries {
  let compiled = compiledSeries.get(series);
  if (!compiled) {
    compiled = new CompiledSeries(series);
    // The others are made again in less time than the garbage collector takes for an entry.
    if (compiled.isCostly) compiledSeries.set(series, compiled);
  }
  return compiled;
}

const NONE: readonly number[] = [];

/** The rule bounded by COUNT and UNTIL, merged with RDATEs, in wall clock time. */
class CompiledSeries {
  readonly zone: ZoneOffsets;
  /** Length of the longest occurrence. */
  readonly longestMs: number;
  private readonly durationMs: number;
  /** Lengths of RDATEs that are periods, by local start. */
  private readonly periods: ReadonlyMap<number, number> | undefined;
  private readonly rule: RecurrenceRule | undefined;
  private readonly sequence: Sequence | undefined;
  private readonly startLocalMs: number;
  private readonly allDay: boolean;
  private readonly rdates: readonly number[];
  private readonly excluded: ReadonlySet<number> | undefined;
  /** UNTIL: nothing after `untilHigh` belongs to the series, everything to `untilLow` does; between them instants decide. */
  private readonly untilLow: number = MAX_LOCAL_MS;
  private readonly untilHigh: number = MAX_LOCAL_MS;
  private readonly untilInstant: number = Infinity;
  private lastByCount: number | undefined;
  private ownRdates: readonly number[] | undefined;

  constructor(series: Series) {
    const { rule, startLocalMs, allDay, exdates } = series;
    if (!(startLocalMs >= MIN_LOCAL_MS && startLocalMs <= MAX_LOCAL_MS)) {
      throw new RecurrenceError('INVALID_RULE', 'the start must lie in the years 1 to 9999');
    }
    this.rule = rule;
    this.startLocalMs = startLocalMs;
    this.allDay = allDay;
    this.zone = ZoneOffsets.forZone(series.timeZone);
    this.durationMs = Math.max(0, series.durationMs);
    this.periods = periodLengths(series);
    this.longestMs = [...(this.periods?.values() ?? [])].reduce((a, b) => Math.max(a, b), this.durationMs);
    this.sequence = rule && (plainSequence(rule, startLocalMs) ?? new RuleSequence(rule, startLocalMs, allDay));
    const rdates = rule ? (series.rdates ?? NONE) : [startLocalMs, ...(series.rdates ?? NONE)];
    this.rdates = rdates.length > 1 ? [...new Set(rdates)].sort((a, b) => a - b) : rdates;
    this.excluded = exdates && exdates.length > 0 ? new Set(exdates) : undefined;
    const until = rule?.until;
    if (until?.kind === 'utc') {
      const { min, max } = this.zone.offsetRangeAround(until.ms);
      this.untilInstant = until.ms;
      this.untilLow = Math.min(until.ms + min, MAX_LOCAL_MS);
      this.untilHigh = Math.min(until.ms + max, MAX_LOCAL_MS);
    } else if (until) {
      this.untilLow = Math.min(until.kind === 'date' ? until.ms + DAY_MS - 1 : until.ms, MAX_LOCAL_MS);
      this.untilHigh = this.untilLow;
    }
  }

  /** Whether something is worked out that is worth keeping. */
  get isCostly(): boolean {
    return this.sequence instanceof RuleSequence || this.rdates.length > 0;
  }

  isExcluded(localMs: number): boolean {
    return this.excluded?.has(localMs) ?? false;
  }

  endOf(localMs: number, startMs: number): number {
    // A day ends at midnight, however many hours it had; other lengths are exact (RFC 5545 §3.8.5.3).
    const durationMs = this.periods?.get(localMs) ?? this.durationMs;
    return this.allDay ? this.zone.localToInstant(localMs + durationMs) : startMs + durationMs;
  }

  occurrence(localMs: number, position?: number): Occurrence {
    const startMs = this.zone.localToInstant(localMs);
    const endMs = this.endOf(localMs, startMs);
    return position === undefined ? { startMs, endMs, localMs } : { startMs, endMs, localMs, position };
  }

  /** Wall clock times before `low` are surely before the instant, those after `high` surely behind it. */
  localBounds(instantMs: number): { low: number; high: number } {
    const { min, max } = this.zone.offsetRangeAround(instantMs);
    return { low: instantMs + min, high: instantMs + max };
  }

  /** Calls `visit` with every member in [fromMs, toMs] (local) until it returns false. */
  scan(fromMs: number, toMs: number, steps: StepBudget, visit: (localMs: number) => boolean): void {
    const rdates = this.rdatesOutsideRule(steps);
    if (rdates.length === 0) return this.scanRule(fromMs, toMs, steps, visit);
    let next = lowerBound(rdates, fromMs);
    const visitRdates = (beforeMs: number): boolean => {
      while (next < rdates.length && rdates[next]! < beforeMs && rdates[next]! <= toMs) {
        steps.take();
        if (!visit(rdates[next++]!)) return false;
      }
      return true;
    };
    let goOn = true;
    this.scanRule(fromMs, toMs, steps, (localMs) => (goOn = visitRdates(localMs) && visit(localMs)));
    if (goOn) visitRdates(Infinity);
  }

  countBefore(localMs: number, steps: StepBudget): number {
    const rdates = this.rdatesOutsideRule(steps);
    return this.ruleCountBefore(localMs, steps) + lowerBound(rdates, localMs);
  }

  nth(position: number, steps: StepBudget): number | undefined {
    if (!Number.isInteger(position) || position < 1) return undefined;
    const rdates = this.rdatesOutsideRule(steps);
    // How many RDATEs come before the wanted member: their positions rise, so halve the list.
    let low = 0;
    let high = rdates.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.ruleCountBefore(rdates[middle]!, steps) + middle + 1;
      if (at === position) return rdates[middle];
      if (at < position) low = middle + 1;
      else high = middle;
    }
    return this.ruleNth(position - low, steps);
  }

  isMember(localMs: number, steps: StepBudget): boolean {
    return this.ruleHas(localMs, steps) || this.rdates[lowerBound(this.rdates, localMs)] === localMs;
  }

  lastEnd(): number | undefined {
    const steps = new StepBudget();
    let last: number | undefined;
    try {
      last = this.ruleLast(steps);
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      last = this.untilHigh;
    }
    if (last === MAX_LOCAL_MS) return undefined;
    last = Math.max(last ?? -Infinity, this.rdates.at(-1) ?? -Infinity);
    if (last === -Infinity) return this.zone.localToInstant(this.startLocalMs);
    // A long period may end after an occurrence that starts later.
    const ends = [...(this.periods?.keys() ?? []), last].map((localMs) => this.occurrence(localMs).endMs);
    return ends.reduce((a, b) => Math.max(a, b));
  }

  // --- the rule with COUNT and UNTIL -----------------------------------------------------------------------------

  private scanRule(fromMs: number, toMs: number, steps: StepBudget, visit: (localMs: number) => boolean): void {
    const { rule, sequence } = this;
    if (!rule || !sequence) return;
    const count = rule.count;
    if (count === undefined && !rule.until) {
      sequence.scan(fromMs, toMs, steps, visit);
    } else if (count === undefined) {
      sequence.scan(fromMs, Math.min(toMs, this.untilHigh), steps, (local) => !this.inUntil(local) || visit(local));
    } else if (sequence.countable || this.lastByCount !== undefined) {
      sequence.scan(fromMs, Math.min(toMs, this.countLast(steps)), steps, visit);
    } else {
      let n = 0;
      sequence.scan(this.startLocalMs, toMs, steps, (local) => ++n <= count && (local < fromMs || visit(local)));
    }
  }

  private inUntil(localMs: number): boolean {
    return (
      localMs <= this.untilLow || (localMs <= this.untilHigh && this.zone.localToInstant(localMs) <= this.untilInstant)
    );
  }

  private ruleCountBefore(localMs: number, steps: StepBudget): number {
    const { rule, sequence } = this;
    if (!rule || !sequence) return 0;
    if (!sequence.countable) {
      let count = 0;
      this.scanRule(this.startLocalMs, localMs - 1, steps, () => ++count > 0);
      return count;
    }
    const undisputed = sequence.countBefore(Math.min(localMs, this.untilLow + 1), steps);
    if (rule.count !== undefined) return Math.min(rule.count, undisputed);
    let disputed = 0;
    if (localMs > this.untilLow + 1) this.scanRule(this.untilLow + 1, localMs - 1, steps, () => ++disputed > 0);
    return undisputed + disputed;
  }

  private ruleNth(n: number, steps: StepBudget): number | undefined {
    const { rule, sequence } = this;
    if (!rule || !sequence || (rule.count !== undefined && n > rule.count)) return undefined;
    let from = this.startLocalMs;
    let passed = 0;
    if (sequence.countable) {
      const found = sequence.nth(n, steps);
      if (found === undefined || found <= this.untilLow) return found;
      from = this.untilLow + 1;
      passed = sequence.countBefore(from, steps);
    }
    let nth: number | undefined;
    this.scanRule(from, MAX_LOCAL_MS, steps, (local) => {
      if (++passed === n) nth = local;
      return nth === undefined;
    });
    return nth;
  }

  private ruleHas(localMs: number, steps: StepBudget): boolean {
    const { rule, sequence } = this;
    if (!rule || !sequence || !sequence.has(localMs) || !this.inUntil(localMs)) return false;
    if (rule.count === undefined) return true;
    return sequence.countBefore(localMs, steps) < rule.count;
  }

  /** The last member of the rule: `undefined` = it has none, the end of time = it is endless. */
  private ruleLast(steps: StepBudget): number | undefined {
    const { rule, sequence } = this;
    if (!rule || !sequence) return undefined;
    if (rule.count !== undefined) {
      const last = this.countLast(steps);
      return last === MAX_LOCAL_MS && this.ruleNth(1, steps) === undefined ? undefined : last;
    }
    if (!rule.until) return MAX_LOCAL_MS;
    if (sequence.countable) return this.ruleNth(this.ruleCountBefore(this.untilHigh + 1, steps), steps);
    let last: number | undefined;
    this.scanRule(this.startLocalMs, this.untilHigh, steps, (local) => (last = local) === local);
    return last;
  }

  /** Finds the last occurrence by COUNT, local ms; the end of time when that is never reached. */
  private countLast(steps: StepBudget): number {
    this.lastByCount ??= this.sequence?.nth(this.rule?.count ?? 0, steps) ?? MAX_LOCAL_MS;
    return this.lastByCount;
  }

  /** RDATEs that the rule does not generate anyway. */
  private rdatesOutsideRule(steps: StepBudget): readonly number[] {
    this.ownRdates ??= this.rdates.length > 0 ? this.rdates.filter((local) => !this.ruleHas(local, steps)) : NONE;
    return this.ownRdates;
  }
}

/** Lengths of those RDATEs of a series that are periods, by local start. */
function periodLengths({ rdates, rdatePeriods }: Series): Map<number, number> | undefined {
  if (!rdates?.length || !rdatePeriods?.length) return undefined;
  const added = new Set(rdates);
  const periods = rdatePeriods.filter(({ localMs }) => added.has(localMs));
  return new Map(periods.map(({ localMs, durationMs }) => [localMs, Math.max(0, durationMs)]));
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
