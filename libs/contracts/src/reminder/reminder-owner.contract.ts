import { allowCallers, defineModule, Field, internal, value } from '../kit';
import { REMINDER_MODULE, type ReminderModule } from './reminder.model';

/** Which reminders an owner is asked for. */
export class OwnedRemindersQuery {
  @Field.timestamp({ doc: 'Those due until then, ms UTC' }) until!: number;
}

/** Which reminders to delete, by the ids of their owner. */
export class ReminderRemoval {
  @Field.listOf('number', { doc: 'Reminders', maxItems: 1_000_000 }) ids!: number[];
}

/** Which reminder comes again, by the id of its owner. */
export class ReminderSnooze {
  @Field.int({ doc: 'Reminder', min: 0, max: Number.MAX_SAFE_INTEGER }) id!: number;
  @Field.timestamp({ doc: 'When to remind again, ms UTC' }) alarm!: number;
}

/** A reminder as its owner knows it. Times are ms UTC. */
export interface OwnedReminder {
  /** Unique within the module. */
  readonly id: number;
  readonly targetId: number;
  /** Folder in which the user sees the object. */
  readonly folderId: number;
  readonly alarm: number;
  readonly lastModified: number;
  /** Number of the occurrence, from 1; 0 unless a series. */
  readonly position: number;
}

const OWN = allowCallers('reminders of the user on whose behalf is asked');

const operations = {
  list: internal({
    access: OWN,
    calledBy: ['settings'],
    doc: 'Reminders of the user that are due and were not deleted, of objects that the user still sees; the newest ones where there are too many',
    query: OwnedRemindersQuery,
    reply: value<readonly OwnedReminder[]>('reminders, in no particular order'),
    repeatable: true,
  }),
  remove: internal({
    access: OWN,
    calledBy: ['settings'],
    doc: 'Deletes reminders of the user: they are not shown again; of a series the next occurrence keeps its own',
    query: ReminderRemoval,
    reply: value<readonly number[]>('ids of those that were deleted'),
  }),
  snooze: internal({
    access: OWN,
    calledBy: ['settings'],
    doc: 'Lets a reminder of the user come again at another time',
    query: ReminderSnooze,
    reply: value<OwnedReminder | null>('the reminder; null when the user has none of this id'),
  }),
};
const declare = (service: string) => defineModule(`${service}-reminders`, operations, { service });

/** The operations that every module with reminders answers. */
export type ReminderOwner = ReturnType<typeof declare>;

const owners = new Map<ReminderModule, ReminderOwner>();

/** Declares that a module keeps reminders; its service answers `<service>-reminders`. */
export function reminderOwner(service: string, module: ReminderModule): ReminderOwner {
  const owner = declare(service);
  owners.set(module, owner);
  return owner;
}

/** Every module with reminders, by its number. */
export const reminderOwners = (): ReadonlyMap<number, ReminderOwner> =>
  new Map([...owners].map(([module, owner]) => [REMINDER_MODULE[module], owner]));

/** Ids of reminders end with the number of their module: each module numbers by itself. */
const MODULES = 10;

/** The id under which clients know a reminder. */
export const toReminderId = (module: number, id: number): number => id * MODULES + module;

/** The reminder that a client names; of a module that has no reminders when there is none. */
export const parseReminderId = (id: number): { readonly module: number; readonly id: number } => ({
  module: id % MODULES,
  id: Math.floor(id / MODULES),
});
