import { Injectable } from '@nestjs/common';
import { AppointmentErrors, CalendarErrors, type UserPrincipal } from '@groupware/contracts';
import { covers, RANK } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import type { AppointmentTarget } from './appointment-target';
import { type Appointment, isException, isSeries, PARTICIPANT } from './domain/appointment';
import { keyOf } from './domain/attendee-list';
import { ownerAttendee } from './domain/owner-attendee';
import { calendarFolderId, FolderAccess } from './folder-access';

/** Moves appointments between calendars. */
@Injectable()
export class AppointmentMove {
  constructor(private readonly access: FolderAccess) {}

  /** The appointment in another folder; the same when the body names none or the one it is in. */
  async moved(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    after: Appointment,
    wanted: string | null | undefined,
  ): Promise<Appointment> {
    if (wanted == null || calendarFolderId(wanted) === target.folder.id) return after;
    if (isSeries(after)) throw AppointmentErrors.seriesMoves();
    if (isException(after)) throw AppointmentErrors.occurrenceMoves();
    const source = target.folder;
    const goal = await this.access.forWrite(tx, user, calendarFolderId(wanted));
    if (goal.rights.folder < RANK.createObjects) throw CalendarErrors.noWritePermission(goal.id);
    if (target.asAttendee) {
      // Somebody who was invited arranges his own calendars.
      if (goal.type !== 1 || goal.createdBy !== source.createdBy) throw CalendarErrors.notOrganizer();
      return {
        ...after,
        attendees: after.attendees.map((attendee) =>
          attendee.folderId === source.id ? { ...attendee, folderId: goal.id } : attendee,
        ),
      };
    }
    if (!covers(source.rights.remove, after.createdBy === user.userId))
      throw CalendarErrors.noDeletePermission(source.id);
    if (after.classification > 0 && (goal.type === 2 || goal.createdBy !== user.userId))
      throw CalendarErrors.classifiedMoves(goal.id);
    const owner = goal.calendarUser;
    const known = after.attendees.some((attendee) => keyOf(attendee) === `${PARTICIPANT.user}:${owner}`);
    return {
      ...after,
      folderId: goal.id,
      isPublic: goal.type === 2,
      owner,
      // Places are worked out anew: everybody else sees it in his default calendar, or in the public folder only.
      attendees: [
        ...after.attendees.map((attendee) => ({
          ...attendee,
          direct: false,
          folderId: keptFolder(attendee, goal.type, owner),
        })),
        ...(known ? [] : [ownerAttendee(owner)]),
      ],
    };
  }
}

const keptFolder = (attendee: Appointment['attendees'][number], type: number, owner: number): number | null =>
  type === 2 || attendee.entity === owner ? null : attendee.folderId;
