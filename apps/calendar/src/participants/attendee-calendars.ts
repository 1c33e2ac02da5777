import { Injectable } from '@nestjs/common';
import { DefaultFolder, FolderRepository, type SeenFolder } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { type Attendee, PARTICIPANT } from '../domain/appointment';
import type { People } from '@groupware/directory';

/** The calendar of an appointment: a private one with its owner, or a public one. */
export type TargetCalendar = Pick<SeenFolder, 'type' | 'createdBy'>;

/** Assigns calendars to attendees: each sees an appointment of a private calendar in his own. */
@Injectable()
export class AttendeeCalendars {
  constructor(
    private readonly folders: FolderRepository,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  /** The attendees with their folders. New ones get their default calendar, which is made when it is missing. */
  async assignCalendars(
    tx: Transaction,
    attendees: readonly Attendee[],
    folder: TargetCalendar,
    people: People,
  ): Promise<Attendee[]> {
    return assignCalendars(
      attendees,
      folder,
      await this.ensureDefaultCalendars(tx, withoutCalendar(attendees, folder), people),
    );
  }

  /** Default calendars of users: user id to folder id. Missing ones are made; one statement when none is missing. */
  async ensureDefaultCalendars(
    tx: Transaction,
    users: readonly number[],
    people: People,
  ): Promise<Map<number, number>> {
    if (users.length === 0) return new Map();
    const homes = await this.folders.findDefaults(tx, users);
    // In a fixed order, so that two transactions that make the same folders do not meet in a deadlock.
    for (const user of [...users].sort((a, b) => a - b)) {
      if (homes.has(user)) continue;
      const entity = people.entities.get(user);
      homes.set(
        user,
        await this.defaultFolder.ensureDefaultFolder(tx, user, entity?.kind === 'user' ? entity.locale : 'en_US'),
      );
    }
    return homes;
  }
}

const isOwner = (attendee: Attendee, folder: TargetCalendar): boolean =>
  folder.type === 1 && attendee.type === PARTICIPANT.user && attendee.entity === folder.createdBy;

/** Users who need a calendar to see the appointment in. */
export const withoutCalendar = (attendees: readonly Attendee[], folder: TargetCalendar): number[] =>
  attendees
    .filter(
      (attendee) =>
        attendee.type === PARTICIPANT.user &&
        folder.type === 1 &&
        !isOwner(attendee, folder) &&
        attendee.folderId === null &&
        !attendee.hidden,
    )
    .map(({ entity }) => entity!);

/** The attendees in their calendars. */
export const assignCalendars = (
  attendees: readonly Attendee[],
  folder: TargetCalendar,
  homes: ReadonlyMap<number, number>,
): Attendee[] =>
  attendees.map((attendee) => {
    if (attendee.type !== PARTICIPANT.user) return attendee;
    if (isOwner(attendee, folder)) return { ...attendee, folderId: null, direct: true };
    if (folder.type === 2) return { ...attendee, folderId: null, direct: false };
    return { ...attendee, direct: false, folderId: attendee.folderId ?? homes.get(attendee.entity!) ?? null };
  });
