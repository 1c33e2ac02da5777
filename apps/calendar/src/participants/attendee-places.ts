import { Injectable } from '@nestjs/common';
import { DefaultFolder, FolderRepository, type SeenFolder } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { type Attendee, PARTICIPANT } from '../domain/appointment';
import type { People } from '../domain/attendee-list';

/** Where an appointment lies: a private calendar with its owner, or a public one. */
export type Place = Pick<SeenFolder, 'type' | 'createdBy'>;

/** Puts attendees into calendars: everybody sees an appointment of a private calendar in his own one. */
@Injectable()
export class AttendeePlaces {
  constructor(
    private readonly folders: FolderRepository,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  /** The attendees with their folders. New ones get their default calendar, which is made when it is missing. */
  async place(tx: Transaction, attendees: readonly Attendee[], folder: Place, people: People): Promise<Attendee[]> {
    return placed(attendees, folder, await this.homes(tx, homeless(attendees, folder), people));
  }

  /** Default calendars of users: user id to folder id. Missing ones are made; one statement when none is missing. */
  async homes(tx: Transaction, users: readonly number[], people: People): Promise<Map<number, number>> {
    if (users.length === 0) return new Map();
    const homes = await this.folders.defaultsOf(tx, users);
    // In a fixed order, so that two transactions that make the same folders do not meet in a deadlock.
    for (const user of [...users].sort((a, b) => a - b)) {
      if (homes.has(user)) continue;
      const entity = people.entities.get(user);
      homes.set(user, await this.defaultFolder.ensure(tx, user, entity?.kind === 'user' ? entity.locale : 'en_US'));
    }
    return homes;
  }
}

const isOwner = (attendee: Attendee, folder: Place): boolean =>
  folder.type === 1 && attendee.type === PARTICIPANT.user && attendee.entity === folder.createdBy;

/** Users who need a calendar to see the appointment in. */
export const homeless = (attendees: readonly Attendee[], folder: Place): number[] =>
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
export const placed = (attendees: readonly Attendee[], folder: Place, homes: ReadonlyMap<number, number>): Attendee[] =>
  attendees.map((attendee) => {
    if (attendee.type !== PARTICIPANT.user) return attendee;
    if (isOwner(attendee, folder)) return { ...attendee, folderId: null, direct: true };
    if (folder.type === 2) return { ...attendee, folderId: null, direct: false };
    return { ...attendee, direct: false, folderId: attendee.folderId ?? homes.get(attendee.entity!) ?? null };
  });
