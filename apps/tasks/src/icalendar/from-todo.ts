import type { TaskData, TaskParticipant } from '@groupware/contracts';
import { alarmInstant, timesOfTodo, type CalendarAlarm, type CalendarTodo } from '@groupware/icalendar';
import { applyRule } from '../domain/recurrence';
import { NO_RECURRENCE, PARTICIPANT, STATUS, type TaskContent } from '../domain/task';
import { applyContent, requireDatesInOrder } from '../domain/task-input';

/** A VTODO as content of a task. */
export interface TodoContent {
  readonly content: TaskContent;
  /** The organizer aside. */
  readonly participants: readonly TaskParticipant[];
  /** When the importing user is reminded, ms UTC. */
  readonly alarmMs: number | null;
}

/** Key within `extra` of a task of the VTODO from which it came. */
const SOURCE = 'icalendar';

/** A VTODO as it was imported, and the zone in which floating times were read. */
export interface TodoSource {
  readonly todo: CalendarTodo;
  readonly zone: string;
}

/** The VTODO from which a task came. */
export const sourceOf = ({ extra }: Pick<TaskContent, 'extra'>): TodoSource | undefined =>
  extra?.[SOURCE] as TodoSource | undefined;

/** Fields without a property of iCalendar, by the last part of the names of their X- properties; of any vendor on import. */
export const OWN_PROPERTIES = {
  'color-label': ['color_label', /^(\d|10)$/],
  companies: ['companies', /^/],
  'billing-information': ['billing_information', /^/],
  'trip-meter': ['trip_meter', /^/],
  currency: ['currency', /^/],
  'target-costs': ['target_costs', /^-?\d{1,10}(\.\d{1,2})?$/],
  'actual-costs': ['actual_costs', /^-?\d{1,10}(\.\d{1,2})?$/],
  'target-duration': ['target_duration', /^\d{1,18}$/],
  'actual-duration': ['actual_duration', /^\d{1,18}$/],
} as const satisfies Record<string, readonly [keyof TaskData, RegExp]>;

/** The last part of the name of an X- property that is one of ours; undefined for all others. */
export function ownPropertyOf(name: string): keyof typeof OWN_PROPERTIES | undefined {
  const part = /^x-[a-z]+-(.+)$/.exec(name)?.[1];
  return part !== undefined && Object.hasOwn(OWN_PROPERTIES, part) ? (part as keyof typeof OWN_PROPERTIES) : undefined;
}

const WAITS = (todo: CalendarTodo): boolean =>
  Object.entries(todo.propertyParameters?.status ?? {}).some(
    ([name, value]) => /^x-[a-z]+-status$/.test(name) && String(value).toUpperCase() === 'WAITING',
  );

function toStatus(todo: CalendarTodo): number {
  if (todo.status === 'COMPLETED') return STATUS.done;
  if (todo.status === 'IN-PROCESS') return STATUS.inProgress;
  if (todo.status === 'CANCELLED') return WAITS(todo) ? STATUS.waiting : STATUS.deferred;
  if (todo.status === undefined && todo.completedMs !== undefined) return STATUS.done;
  // A task that is not started has no progress.
  return todo.percentComplete ? STATUS.inProgress : STATUS.notStarted;
}

const toPriority = (priority = 0): number | null => (priority === 0 ? null : priority < 5 ? 3 : priority === 5 ? 2 : 1);

/** A mail address of a calendar address; undefined for other addresses. */
export const toMail = (uri: string): string | undefined => /^(?:mailto:)?\s*([^\s:@]+@[^\s:]+)$/i.exec(uri)?.[1];

/** The alarm that becomes that of the user: the first one. */
export const findAlarm = ({ alarms }: Pick<CalendarTodo, 'alarms'>): CalendarAlarm | undefined => alarms[0];

/**
 * The content of a task as a VTODO has it; what tasks have no field for is kept beside it.
 * @param before content that the VTODO does not touch
 * @param zone zone of floating times
 * @throws TSK-0030, TSK-0037, TSK-0040, TSK-0041, TSK-0058
 */
export function fromTodo(todo: CalendarTodo, before: TaskContent, zone: string): TodoContent {
  const own: Record<string, unknown> = {};
  for (const [field] of Object.values(OWN_PROPERTIES)) own[field] = null;
  for (const [name, , , value = ''] of todo.extraProperties) {
    const part = ownPropertyOf(name);
    if (part && OWN_PROPERTIES[part][1].test(value))
      own[OWN_PROPERTIES[part][0]] = part === 'color-label' ? Number(value) : value;
  }
  const content = applyContent<TaskContent>(
    { ...before, startMs: null, endMs: null, fullTime: null },
    {
      ...own,
      title: todo.summary ?? null,
      note: todo.description ?? null,
      categories: todo.categories.join(',') || null,
      private_flag: todo.classification !== 'PUBLIC',
      status: toStatus(todo),
      percent_completed: todo.percentComplete ?? null,
      date_completed: todo.completedMs ?? null,
      priority: toPriority(todo.priority),
      organizer: toMail(todo.organizer?.uri ?? '') ?? null,
    },
    zone,
  );
  const dated = { ...content, ...NO_RECURRENCE, ...timesOfTodo(todo, zone) };
  requireDatesInOrder(dated);
  const isSeries = todo.rrule !== undefined && dated.startMs !== null;
  const source: TodoSource = { todo, zone };
  const alarm = findAlarm(todo);
  const repeated = isSeries ? applyRule(dated, todo.rrule) : dated;
  return {
    content: { ...repeated, sequence: todo.sequence, extra: { ...repeated.extra, [SOURCE]: source } },
    participants: todo.attendees.flatMap(({ uri, cn }) => {
      const mail = toMail(uri);
      return mail === undefined
        ? []
        : [{ type: PARTICIPANT.external, mail, ...(cn !== undefined && { display_name: cn }) }];
    }),
    alarmMs: alarm ? alarmInstant(alarm, todo, zone) : null,
  };
}
