import { TASK_TEXT_LIMITS } from '@groupware/contracts';

/** Values of `status`. */
export const STATUS = { notStarted: 1, inProgress: 2, done: 3, waiting: 4, deferred: 5 } as const;

/** Kinds of participants. */
export const PARTICIPANT = { user: 1, group: 2, external: 5 } as const;

/** Answers of participants. */
export const CONFIRMATION = { none: 0, accepted: 1, declined: 2, tentative: 3 } as const;

/** A field of a task that is a plain text, by its name on the wire. */
export type TextField = Exclude<keyof typeof TASK_TEXT_LIMITS, 'uid'>;

/** See {@link TextField}. */
export const TEXT_FIELDS = (Object.keys(TASK_TEXT_LIMITS) as (keyof typeof TASK_TEXT_LIMITS)[]).filter(
  (name): name is TextField => name !== 'uid',
);

/** How a task repeats. */
export interface Recurrence {
  /** RFC 5545 rule; null unless a series. */
  readonly rule: string | null;
  /** Fields of the API; null also for a rule that they cannot express. */
  readonly recurrenceType: number | null;
  readonly interval: number | null;
  readonly days: number | null;
  readonly dayInMonth: number | null;
  readonly month: number | null;
  /** Last day, UTC midnight. */
  readonly until: number | null;
  readonly occurrences: number | null;
}

/** The recurrence of a task that is no series. */
export const NO_RECURRENCE: Recurrence = {
  rule: null,
  recurrenceType: null,
  interval: null,
  days: null,
  dayInMonth: null,
  month: null,
  until: null,
  occurrences: null,
};

/** A participant as it is stored. */
export interface Participant {
  /** See {@link PARTICIPANT}. */
  readonly type: number;
  /** User or group; null for external ones. */
  readonly entity: number | null;
  readonly mail: string | null;
  readonly displayName: string | null;
  /** Named by a client; false for a user who takes part by a group only. */
  readonly listed: boolean;
  /** Takes part no more; the answer is kept. */
  readonly removed: boolean;
  /** See {@link CONFIRMATION}. */
  readonly confirm: number;
  readonly message: string | null;
}

/** A folder in which a task is seen. */
export interface TaskLink {
  readonly folderId: number;
  /** Owner of a private folder; null in a public one. */
  readonly userId: number | null;
  /** The folder in which it was made, or to which that one was moved. */
  readonly isOrigin: boolean;
}

/** A task as it is stored. Times are ms UTC, days UTC midnight. */
export interface Task extends Recurrence, Readonly<Record<TextField, string | null>> {
  readonly id: number;
  readonly uid: string;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  readonly isPrivate: boolean;
  readonly color: number | null;
  readonly status: number;
  readonly percent: number | null;
  readonly dateCompleted: number | null;
  readonly priority: number | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** Whole days; null while there never was a date. */
  readonly fullTime: boolean | null;
  /** Zone in which a timed series repeats. */
  readonly timeZone: string;
  /** Minutes. */
  readonly actualDuration: string | null;
  readonly targetDuration: string | null;
  /** Decimal numbers. */
  readonly actualCosts: string | null;
  readonly targetCosts: string | null;
  readonly afterComplete: number | null;
  /** User who gave the task to others; null for tasks of one person, and where the organizer is no user. */
  readonly organizerId: number | null;
  /** Owner of the folder in which another user made it for others. */
  readonly principalId: number | null;
  /** How often what it asks of its participants was revised. */
  readonly sequence: number;
  /** Its next instance was made. */
  readonly isSucceeded: boolean;
  /** Data of the iCalendar object that tasks have no field for. */
  readonly extra: Readonly<Record<string, unknown>> | null;
  readonly participants: readonly Participant[];
  readonly links: readonly TaskLink[];
}

/** A task before it is stored. */
export type NewTask = Omit<Task, 'id' | 'created' | 'lastModified' | 'createdBy' | 'modifiedBy'> & {
  readonly createdBy?: number;
};

/** Everything of a task but who takes part and where it is seen. */
export type TaskContent = Omit<NewTask, 'participants' | 'links'>;

/** A task without content. */
export const EMPTY_TASK: Omit<NewTask, 'uid' | 'timeZone'> = {
  ...NO_RECURRENCE,
  ...(Object.fromEntries(TEXT_FIELDS.map((name) => [name, null])) as Record<TextField, null>),
  isPrivate: false,
  color: null,
  status: STATUS.notStarted,
  percent: null,
  dateCompleted: null,
  priority: null,
  startMs: null,
  endMs: null,
  fullTime: null,
  actualDuration: null,
  targetDuration: null,
  actualCosts: null,
  targetCosts: null,
  afterComplete: null,
  organizerId: null,
  principalId: null,
  sequence: 0,
  isSucceeded: false,
  extra: null,
  participants: [],
  links: [],
};

/** Users who take part. */
export const listUsers = (participants: readonly Participant[]): number[] =>
  participants.flatMap(({ type, entity, removed }) => (type === PARTICIPANT.user && !removed ? [entity!] : []));

/** True when a task has participants. */
export const isDelegated = (participants: readonly Participant[]): boolean =>
  participants.some(({ removed }) => !removed);
