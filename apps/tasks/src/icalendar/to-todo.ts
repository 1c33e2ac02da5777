import { isDeepStrictEqual } from 'node:util';
import {
  displayAlarm,
  EMPTY_TODO,
  parseCategories,
  toCalendarTime,
  type CalendarAlarm,
  type CalendarAttendee,
  type CalendarTime,
  type CalendarTodo,
  type RawProperty,
} from '@groupware/icalendar';
import { ZoneOffsets } from '@groupware/recurrence';
import { EMPTY_TASK, STATUS, type Task, type TaskContent } from '../domain/task';
import { findAlarm, fromTodo, OWN_PROPERTIES, ownPropertyOf, sourceOf, toMail, type TodoContent } from './from-todo';

/** Vendor part of our own properties. */
const VENDOR = 'x-svc-';
const WAITING_PARAMETER = `${VENDOR}status`;
const STATUSES = {
  [STATUS.notStarted]: 'NEEDS-ACTION',
  [STATUS.inProgress]: 'IN-PROCESS',
  [STATUS.done]: 'COMPLETED',
  [STATUS.waiting]: 'CANCELLED',
  [STATUS.deferred]: 'CANCELLED',
} as const;
const PART_STAT = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE'] as const;
const PRIORITIES: Readonly<Record<number, number>> = { 1: 9, 2: 5, 3: 1 };

/**
 * A task as VTODO. One that was imported is written as it came, with the fields that are no longer what the import made of it
 * written anew.
 * @param alarmMs alarm of the reader, ms UTC
 */
export function toTodo(task: Task, alarmMs: number | null): CalendarTodo {
  const source = sourceOf(task);
  const base = source && readAgain(source.todo, source.zone);
  const origin = base ? source.todo : undefined;
  const isSame = (...fields: (keyof TaskContent)[]): boolean =>
    base !== undefined && fields.every((field) => isDeepStrictEqual(base.content[field] ?? null, task[field] ?? null));
  const hasSameDates = isSame('startMs', 'endMs', 'fullTime', 'rule');
  return {
    ...(origin ?? { ...EMPTY_TODO, uid: task.uid }),
    // A changed occurrence has the unique id of its series.
    uid: origin?.recurrenceId ? origin.uid : task.uid,
    summary: task.title ?? undefined,
    description: task.note ?? undefined,
    ...(!hasSameDates && {
      start: toTime(task, task.startMs),
      due: toTime(task, task.endMs),
      duration: undefined,
      rrule: task.rule ?? undefined,
      rdates: [],
      exdates: [],
    }),
    ...(!isSame('status') && {
      status: STATUSES[task.status as keyof typeof STATUSES],
      propertyParameters: withStatus(origin, task.status),
    }),
    ...(!isSame('percent') && { percentComplete: task.percent ?? undefined }),
    ...(!isSame('dateCompleted') && { completedMs: task.dateCompleted ?? undefined }),
    ...(!isSame('priority') && { priority: task.priority === null ? undefined : PRIORITIES[task.priority] }),
    ...(!isSame('isPrivate') && { classification: task.isPrivate ? 'PRIVATE' : 'PUBLIC' }),
    ...(!isSame('categories') && { categories: parseCategories(task.categories) }),
    ...(!isSame('sequence') && { sequence: task.sequence }),
    ...(!isSame('organizer') && {
      organizer: task.organizer === null ? undefined : { uri: `mailto:${task.organizer}` },
    }),
    attendees: toAttendees(task, origin?.attendees ?? []),
    ...(alarmMs !== base?.alarmMs && { alarms: replaceAlarm(origin, alarmMs, base?.alarmMs ?? null, task) }),
    extraProperties: [
      ...(origin?.extraProperties ?? []).filter(([name]) => !ownPropertyOf(name)),
      ...ownProperties(task),
    ],
    ...toStamps(task, origin),
  };
}

/** Reads a VTODO as an import would; undefined for one that could not be imported any more. */
function readAgain(todo: CalendarTodo, zone: string): TodoContent | undefined {
  try {
    return fromTodo(todo, { ...EMPTY_TASK, uid: todo.uid, timeZone: zone }, zone);
  } catch {
    return undefined;
  }
}

const toTime = (task: Task, ms: number | null): CalendarTime | undefined =>
  ms === null
    ? undefined
    : toCalendarTime(task, task.fullTime ? ms : ZoneOffsets.forZone(task.timeZone).instantToLocal(ms));

function withStatus(origin: CalendarTodo | undefined, status: number): CalendarTodo['propertyParameters'] {
  const { status: _before, ...others } = origin?.propertyParameters ?? {};
  return { ...others, ...(status === STATUS.waiting && { status: { [WAITING_PARAMETER]: 'WAITING' } }) };
}

/** Users and external people who take part; members of groups among them. */
function toAttendees({ participants }: Task, before: readonly CalendarAttendee[]): CalendarAttendee[] {
  const known = new Map(before.map((attendee) => [toMail(attendee.uri)?.toLowerCase(), attendee]));
  // Addresses that are no mail addresses are no participants here.
  const others = before.filter(({ uri }) => toMail(uri) === undefined);
  const people = participants.flatMap(({ mail, displayName, confirm, removed }): CalendarAttendee[] => {
    if (removed || mail === null) return [];
    const attendee = known.get(mail.toLowerCase());
    const partStat = PART_STAT[confirm]!;
    const answer = confirm === 0 && attendee ? attendee.partStat : partStat;
    return [
      {
        ...(attendee ?? { uri: `mailto:${mail}`, ...(displayName !== null && { cn: displayName }) }),
        ...(answer !== undefined && { partStat: answer }),
      },
    ];
  });
  return [...others, ...people];
}

/** The alarms with that of the reader in place of the one that was imported; one that was over by then stays as it was. */
function replaceAlarm(
  origin: CalendarTodo | undefined,
  alarmMs: number | null,
  beforeMs: number | null,
  { created }: Task,
): readonly CalendarAlarm[] {
  const alarms = origin?.alarms ?? [];
  if (alarmMs === null && beforeMs !== null && beforeMs <= created) return alarms;
  const replaced = origin && findAlarm(origin);
  const others = alarms.filter((alarm) => alarm !== replaced);
  if (alarmMs === null) return others;
  const alarm = {
    ...(replaced ?? displayAlarm('Reminder')),
    trigger: { kind: 'absolute' as const, atMs: alarmMs },
  };
  return [alarm, ...others];
}

const FIELDS: Readonly<Record<keyof typeof OWN_PROPERTIES, keyof Task>> = {
  'color-label': 'color',
  companies: 'companies',
  'billing-information': 'billing_information',
  'trip-meter': 'trip_meter',
  currency: 'currency',
  'target-costs': 'targetCosts',
  'actual-costs': 'actualCosts',
  'target-duration': 'targetDuration',
  'actual-duration': 'actualDuration',
};

const ownProperties = (task: Task): RawProperty[] =>
  Object.entries(FIELDS).flatMap(([part, field]): RawProperty[] => {
    const value = task[field];
    return value === null || value === undefined || value === 0
      ? []
      : [[`${VENDOR}${part}`, {}, 'text', String(value)]];
  });

/** Stamps of the file as long as the task is unchanged. */
function toStamps({ created, lastModified }: Task, origin: CalendarTodo | undefined) {
  if (!origin) return { createdMs: created, lastModifiedMs: lastModified, dtstampMs: lastModified };
  const isUntouched = created === lastModified;
  return isUntouched ? {} : { lastModifiedMs: lastModified, dtstampMs: lastModified };
}
