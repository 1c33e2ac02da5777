import {
  countCharacters,
  fieldsOf,
  findControlCharacter,
  toLongTextsError,
  TASK_TEXT_LIMITS,
  TaskData,
  TaskErrors,
  MAX_TIME,
  MIN_TIME,
} from '@groupware/contracts';
import { ZoneOffsets } from '@groupware/recurrence';
import { STATUS, type Task, type TaskContent, TEXT_FIELDS } from './task';

/** Fields of a body, where null clears. */
type Body = { readonly [K in keyof TaskData]?: TaskData[K] | null };
type Mutable = { -readonly [K in keyof Task]?: Task[K] };

const columns = new Map(fieldsOf(TaskData).map(({ wireName, column }) => [wireName, column]));
const MAX_CENTS = 999_999_999_999n;
const DAY_MS = 86_400_000;

/** Midnight UTC of the day of a moment. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** A text that may be stored: null for an empty one. @throws TSK-0041, TSK-0058 */
export function toStoredText(name: keyof typeof TASK_TEXT_LIMITS, text: string | null | undefined): string | null {
  if (text == null || text === '') return null;
  requireCharacters(name, text);
  const limit = TASK_TEXT_LIMITS[name];
  if (text.length > limit) {
    const length = countCharacters(text);
    if (length > limit)
      throw toLongTextsError(TaskErrors.tooLong, [{ name, column: columns.get(name)!, length, limit }]);
  }
  return text;
}

/** Refuses control characters (TSK-0058). */
export function requireCharacters(name: string, text: string): void {
  const bad = findControlCharacter(text);
  if (bad !== undefined) throw TaskErrors.badCharacter(bad, name);
}

/** Minutes as digits. @throws TSK-0055 */
function toDuration(name: string, value: unknown): string | null {
  if (value == null || value === '') return null;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,18}$/.test(text)) throw TaskErrors.noNumber(textOf(value), name);
  return String(BigInt(text));
}

/** An amount with two decimals, rounded half up; binary floats would not keep it. @throws TSK-0055, TSK-0047 */
function toCosts(name: string, value: unknown): string | null {
  if (value == null || value === '') return null;
  const text = typeof value === 'number' ? String(value) : value;
  const parts = typeof text === 'string' ? /^([+-]?)(\d{1,20})(?:\.(\d{1,40}))?$/.exec(text.trim()) : null;
  if (!parts) throw TaskErrors.noNumber(textOf(value), name);
  const [, sign, whole, fraction = ''] = parts;
  const digits = fraction.padEnd(3, '0');
  const cents = BigInt(whole! + digits.slice(0, 2)) + (digits[2]! >= '5' ? 1n : 0n);
  if (cents > MAX_CENTS) throw TaskErrors.badData(`${name} is too large`);
  const all = String(cents).padStart(3, '0');
  return `${sign === '-' && cents > 0n ? '-' : ''}${all.slice(0, -2)}.${all.slice(-2)}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A moment that can be stored. @throws TSK-0047 */
function requireTime(name: string, ms: number): number {
  if (!Number.isSafeInteger(ms) || ms < MIN_TIME || ms > MAX_TIME) throw TaskErrors.badData(`${name} is no time`);
  return ms;
}

/** The instant of a time on the clock of a zone. */
export const toInstant = (name: string, local: number, zone: string): number =>
  ZoneOffsets.forZone(zone).localToInstant(requireTime(name, local));

/**
 * Dates of a body. Older clients send `start_date` and `end_date`: days, never shifted. Newer ones send `start_time` and
 * `end_time`, which win: days when `full_time`, else times on the clock of the zone.
 */
function readDates(body: Body, before: Pick<Task, 'fullTime'>, zone: string): Mutable {
  const timed = body.start_time !== undefined || body.end_time !== undefined;
  const dated = body.start_date != null || body.end_date != null;
  const fullTime = timed
    ? (body.full_time ?? before.fullTime ?? false)
    : dated
      ? true
      : (body.full_time ?? before.fullTime);
  const read = (time: 'start_time' | 'end_time', date: 'start_date' | 'end_date'): number | null | undefined => {
    const value = body[time];
    if (value !== undefined) {
      if (value === null) return null;
      return fullTime ? requireTime(time, value) : toInstant(time, value, zone);
    }
    const day = body[date];
    return day == null ? day : requireTime(date, day);
  };
  const [startMs, endMs] = [read('start_time', 'start_date'), read('end_time', 'end_date')];
  return {
    ...(startMs !== undefined && { startMs }),
    ...(endMs !== undefined && { endMs }),
    ...(fullTime !== before.fullTime && { fullTime }),
    ...((startMs != null || endMs != null) && { timeZone: fullTime ? 'UTC' : zone }),
  };
}

/**
 * A task with the fields of a body, those of recurrence, participants, folder and alarm aside.
 * @throws TSK-0030, TSK-0031, TSK-0039, TSK-0040, TSK-0041, TSK-0047, TSK-0055, TSK-0057, TSK-0058
 */
export function applyContent<T extends TaskContent>(before: T, body: Body, zone: string): T {
  const change: Mutable = {};
  for (const name of TEXT_FIELDS) if (body[name] !== undefined) change[name] = toStoredText(name, body[name]);
  // The user of another address is not known.
  if (body.organizer !== undefined && change.organizer !== before.organizer) change.organizerId = null;
  if (body.principal !== undefined && change.principal !== before.principal) change.principalId = null;
  if (body.private_flag !== undefined) change.isPrivate = body.private_flag ?? false;
  if (body.color_label !== undefined) change.color = body.color_label;
  if (body.status !== undefined) change.status = body.status ?? STATUS.notStarted;
  if (body.percent_completed !== undefined) change.percent = body.percent_completed;
  if (body.priority !== undefined) change.priority = body.priority;
  if (body.date_completed !== undefined) change.dateCompleted = toDay('date_completed', body.date_completed);
  if (body.after_complete !== undefined) change.afterComplete = toTime('after_complete', body.after_complete);
  if (body.actual_duration !== undefined) change.actualDuration = toDuration('actual_duration', body.actual_duration);
  if (body.target_duration !== undefined) change.targetDuration = toDuration('target_duration', body.target_duration);
  if (body.actual_costs !== undefined) change.actualCosts = toCosts('actual_costs', body.actual_costs);
  if (body.target_costs !== undefined) change.targetCosts = toCosts('target_costs', body.target_costs);
  const after = { ...before, ...change, ...readDates(body, before, zone) };
  requireState(after);
  requireDatesInOrder(after);
  return after;
}

/** Refuses a start after the end (TSK-0040). */
export function requireDatesInOrder({ startMs, endMs }: Pick<Task, 'startMs' | 'endMs'>): void {
  if (startMs !== null && endMs !== null && startMs > endMs) throw TaskErrors.startAfterEnd(startMs, endMs);
}

const toTime = (name: string, ms: number | null): number | null => (ms === null ? null : requireTime(name, ms));
const toDay = (name: string, ms: number | null): number | null => (ms === null ? null : dayOf(requireTime(name, ms)));

/** Refuses status, percentage and priority that do not exist or contradict each other. */
function requireState({ status, percent, priority }: Pick<Task, 'status' | 'percent' | 'priority'>): void {
  if (!Object.values<number>(STATUS).includes(status)) throw TaskErrors.badStatus(status);
  if (percent !== null && (percent < 0 || percent > 100)) throw TaskErrors.badPercent(percent);
  if (status === STATUS.notStarted && percent) throw TaskErrors.percentNotStarted(percent);
  if (priority !== null && ![1, 2, 3].includes(priority)) throw TaskErrors.badPriority(priority);
}
