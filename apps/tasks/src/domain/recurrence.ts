import { isDeepStrictEqual } from 'node:util';
import { type TaskData, TaskErrors } from '@groupware/contracts';
import {
  fieldsFromRule,
  firstOccurrence,
  formatRule,
  nextAfter,
  parseRule,
  RecurrenceError,
  ruleFromFields,
  type RecurrenceRule,
  type Series,
  validateSeries,
  ZoneOffsets,
} from '@groupware/recurrence';
import { NO_RECURRENCE, STATUS, type NewTask, type Recurrence, type Task } from './task';
import { dayOf } from './task-input';

type Dated = Pick<Task, 'startMs' | 'endMs' | 'fullTime' | 'timeZone' | 'extra'>;
/** Start and end as a clock shows them, ms as if UTC. */
type WallClock = { readonly startMs: number; readonly endMs: number };
type Body = { readonly [K in keyof TaskData]?: TaskData[K] | null };

/** Fields of a rule by kind, in which a partial update is completed from the stored rule. */
const PARTS = [
  ['interval', 'interval', 1],
  ['days', 'days', 2],
  ['day_in_month', 'dayInMonth', 3],
  ['month', 'month', 4],
] as const;
const WIRE = [...PARTS.map(([wire]) => wire), 'until', 'occurrences', 'recurrence_type'] as const;
/** Column numbers of start and end. */
const START = 201;
const END = 202;
const EVERY_DAY = 127;

/** Key in `extra` of the times at which a series repeats, of an instance whose times the clocks skip. */
const WALL_CLOCK = 'wallClock';

const startOf = (task: Dated): number => (task.fullTime ? dayOf(task.startMs!) : task.startMs!);
const localOf = (ms: number, { fullTime, timeZone }: Dated): number =>
  fullTime ? ms : ZoneOffsets.forZone(timeZone).instantToLocal(ms);
const instantOf = (local: number, { fullTime, timeZone }: Dated): number =>
  fullTime ? local : ZoneOffsets.forZone(timeZone).localToInstant(local);

const shownTimes = ({ startMs, endMs }: WallClock, task: Dated): WallClock => ({
  startMs: localOf(startMs, task),
  endMs: localOf(endMs, task),
});
/** The dates at which a clock shows these times; where it skips the start, the end is not before it. */
function datesAt({ startMs, endMs }: WallClock, task: Dated): WallClock {
  const start = instantOf(startMs, task);
  return { startMs: start, endMs: Math.max(start, instantOf(endMs, task)) };
}

/** The times at which a series repeats. */
function wallClockOf(task: Dated): WallClock {
  const { startMs, endMs, extra } = task;
  const dates = { startMs: startMs!, endMs: endMs! };
  const skipped = extra?.[WALL_CLOCK] as WallClock | undefined;
  // Those that do not lead to the dates are of earlier ones.
  return skipped && isDeepStrictEqual(datesAt(skipped, task), dates) ? skipped : shownTimes(dates, task);
}

/** The start of a series on its clock: that of the day for whole days. */
const localStartOf = (task: Dated): number => (task.fullTime ? dayOf(task.startMs!) : wallClockOf(task).startMs);

const seriesOf = (task: Dated, rule: RecurrenceRule): Series => ({
  rule,
  startLocalMs: localStartOf(task),
  timeZone: task.fullTime ? 'UTC' : task.timeZone,
  durationMs: task.fullTime ? dayOf(task.endMs!) - dayOf(task.startMs!) : task.endMs! - task.startMs!,
  allDay: task.fullTime ?? false,
});

/** The task with start and end moved on its own clock so that it starts at an occurrence. */
function moveTo<T extends Dated>(task: T, localMs: number): T {
  const shift = localMs - localStartOf(task);
  const { startMs, endMs } = wallClockOf(task);
  const times = { startMs: startMs + shift, endMs: endMs + shift };
  const dates = datesAt(times, task);
  const { [WALL_CLOCK]: _before, ...others } = task.extra ?? {};
  const isShown = isDeepStrictEqual(shownTimes(dates, task), times);
  const extra = isShown ? others : { ...others, [WALL_CLOCK]: times };
  return { ...task, ...dates, extra: Object.keys(extra).length > 0 ? extra : null };
}

/** True when a body says anything about recurrence. */
const mentionsRecurrence = (body: Body): boolean => WIRE.some((name) => body[name] !== undefined);

/**
 * A task with the recurrence of a body. Parts that the body lacks are those of the stored rule of the same kind; start and
 * end move to the first occurrence. @throws TSK-0036, TSK-0037
 */
export function applyRecurrence<T extends Dated & Recurrence>(before: Recurrence, after: T, body: Body): T {
  if (!mentionsRecurrence(body)) {
    if (after.rule !== null) requireDates(after);
    return after;
  }
  const type = body.recurrence_type === undefined ? before.recurrenceType : body.recurrence_type;
  if (type === null || type === 0) return { ...after, ...NO_RECURRENCE };
  if (![1, 2, 3, 4].includes(type)) throw TaskErrors.badRecurrenceType(type);
  requireDates(after);
  const recurrence = completeRecurrence(type, body, before);
  return toFirstOccurrence({ ...after, ...recurrence }, ruleOf(recurrence, after));
}

/**
 * A task that repeats by a rule of RFC 5545. Fields are null where they cannot say what the rule says. Start and end move to the
 * first occurrence. @throws TSK-0037
 */
export function applyRule<T extends Dated & Recurrence>(task: T, text: string): T {
  requireDates(task);
  return mapErrors(() => {
    const rule = parseRule(text);
    const fields = fieldsFromRule(rule, contextOf(task));
    return toFirstOccurrence(
      {
        ...task,
        recurrenceType: fields?.recurrence_type ?? null,
        interval: fields?.interval ?? null,
        days: fields?.days ?? null,
        dayInMonth: fields?.day_in_month ?? null,
        month: fields?.month ?? null,
        until: fields?.until ?? null,
        occurrences: fields?.occurrences ?? null,
      },
      rule,
    );
  });
}

function requireDates({ startMs, endMs }: Dated): void {
  if (startMs === null) throw TaskErrors.recurrenceValueMissing(START, 'start_date');
  if (endMs === null) throw TaskErrors.recurrenceValueMissing(END, 'end_date');
}

function completeRecurrence(type: number, body: Body, before: Recurrence): Recurrence {
  const parts: Record<string, number | null> = {};
  for (const [wire, property, from] of PARTS) {
    const given = body[wire];
    const wanted = type >= from && !(wire === 'days' && body.day_in_month !== undefined && given === undefined);
    const stored = wanted && before.recurrenceType === type ? before[property] : null;
    parts[property] = wanted ? (given === undefined ? stored : given) : null;
  }
  const { dayInMonth = null, month = null, days = null } = parts;
  const interval = parts.interval ?? 1;
  const until = body.until === undefined ? (body.occurrences ? null : before.until) : body.until;
  const occurrences = until !== null ? null : body.occurrences === undefined ? before.occurrences : body.occurrences;
  requireValid(interval >= 1 && interval <= 10_000, 'interval', 215);
  if (type === 2) requireValid(days !== null, 'days', 212);
  requireValid(days === null || (days >= 1 && days <= EVERY_DAY), 'days', 212);
  if (type >= 3)
    requireValid(dayInMonth !== null && dayInMonth >= 1 && dayInMonth <= (days ? 5 : 31), 'day_in_month', 213);
  if (type === 4) requireValid(month !== null && month >= 0 && month <= 11, 'month', 214);
  requireValid(!occurrences || (occurrences > 0 && occurrences <= 100_000), 'occurrences', 222);
  return {
    rule: '',
    recurrenceType: type,
    interval,
    days,
    dayInMonth,
    month,
    until: until === null ? null : dayOf(until),
    occurrences: occurrences || null,
  };
}

function requireValid(holds: boolean, name: string, column: number): void {
  if (!holds) throw TaskErrors.recurrenceValueMissing(column, name);
}

const ruleOf = ({ dayInMonth, recurrenceType, ...fields }: Recurrence, task: Dated): RecurrenceRule =>
  mapErrors(() =>
    ruleFromFields({ ...fields, recurrence_type: recurrenceType!, day_in_month: dayInMonth }, contextOf(task)),
  );

const contextOf = (task: Dated) => ({
  fullTime: task.fullTime ?? false,
  timeZone: task.fullTime ? 'UTC' : task.timeZone,
  startLocalMs: localStartOf(task),
});

function toFirstOccurrence<T extends Dated & Recurrence>(task: T, rule: RecurrenceRule): T {
  return mapErrors(() => {
    const series = seriesOf(task, rule);
    validateSeries(series);
    const first = firstOccurrence(series);
    if (!first) throw TaskErrors.recurrenceValueMissing(216, 'until');
    return moveTo({ ...task, rule: formatRule(rule) }, first.localMs);
  });
}

/**
 * The instance after one that is done: its dates by the plan, not by today; answers, alarm, progress and attachments are not
 * taken over. Undefined when the series is over.
 */
export function nextInstance(done: Task, uid: string): NewTask | undefined {
  if (done.rule === null || done.startMs === null || done.endMs === null) return undefined;
  return mapErrors(() => {
    const rule = parseRule(done.rule!);
    const next = nextAfter(seriesOf(done, rule), startOf(done));
    if (!next) return undefined;
    const left = rule.count === undefined ? rule : { ...rule, count: rule.count - 1 };
    return {
      ...moveTo(done, next.localMs),
      uid,
      rule: formatRule(left),
      occurrences: done.occurrences === null ? null : done.occurrences - 1,
      status: STATUS.notStarted,
      percent: 0,
      dateCompleted: null,
      isSucceeded: false,
      sequence: 0,
      participants: done.participants.map((participant) => ({ ...participant, confirm: 0, message: null })),
    };
  });
}

function mapErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecurrenceError) throw TaskErrors.recurrenceValueMissing(209, error.message);
    throw error;
  }
}
