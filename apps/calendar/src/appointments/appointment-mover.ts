import { Injectable } from '@nestjs/common';
import { AppointmentErrors, CalendarErrors, type UserPrincipal } from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import type { People } from '@groupware/directory';
import type { AppointmentTarget } from './appointment-target';
import { type Appointment, isException, isSeries, PARTICIPANT } from '../domain/appointment';
import { attendeeKey } from '../domain/attendee-list';
import { isInvitedCopy } from '../domain/organizer';
import { createOwnerAttendee } from '../domain/owner-attendee';
import { requireMayCreate, parseCalendarFolderId, FolderAccess } from '../folders/folder-access';

/** Whether a change names another folder than the one that the appointment is in. */
export const leavesFolder = ({ folder }: AppointmentTarget, wanted: string | null | undefined): wanted is string =>
  wanted != null && parseCalendarFolderId(wanted) !== folder.id;

/** Moves appointments between calendars. */
@Injectable()
export class AppointmentMover {
  constructor(private readonly access: FolderAccess) {}

  /** The appointment in another folder; the same when the body names none or the one it is in. `people` has the owner of the folder. */
  async moveAppointment(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    after: Appointment,
    wanted: string | null | undefined,
    people: People,
  ): Promise<Appointment> {
    if (!leavesFolder(target, wanted)) return after;
    if (isSeries(after)) throw AppointmentErrors.seriesMoves();
    if (isException(after)) throw AppointmentErrors.occurrenceMoves();
    const source = target.folder;
    const goal = await this.access.lockFolder(tx, user, parseCalendarFolderId(wanted));
    requireMayCreate(goal);
    if (target.asAttendee) {
      // Invited users arrange their own calendars.
      if (goal.type !== 1 || goal.createdBy !== source.createdBy) throw CalendarErrors.notOrganizer();
      return {
        ...after,
        attendees: after.attendees.map((attendee) =>
          attendee.folderId === source.id ? { ...attendee, folderId: goal.id } : attendee,
        ),
      };
    }
    if (!coversObject(source.rights.remove, after.createdBy === user.userId))
      throw CalendarErrors.noDeletePermission(source.id);
    if (after.classification > 0 && (goal.type === 2 || goal.createdBy !== user.userId))
      throw CalendarErrors.classifiedMoves(goal.id);
    const owner = goal.calendarUser;
    const entity = people.entities.get(owner);
    const [mail, displayName] = entity?.kind === 'user' ? [entity.email, entity.displayName] : [null, null];
    const host = createOwnerAttendee(owner, { mail, displayName });
    const place = { folderId: goal.id, isPublic: goal.type === 2, owner };
    // An event without guests becomes the other user's.
    if (owner !== after.owner && !isInvitedCopy(after) && isAlone(after)) {
      const organizer = { organizer: mail, organizerId: owner, principal: null, principalId: null };
      return { ...after, ...place, ...organizer, attendees: [host] };
    }
    const known = after.attendees.some((attendee) => attendeeKey(attendee) === `${PARTICIPANT.user}:${owner}`);
    return {
      ...after,
      ...place,
      // Calendars are assigned anew: the others see it in their default calendars, or in the public folder only.
      attendees: [
        ...after.attendees.map((attendee) => ({
          ...attendee,
          direct: false,
          folderId: resolveFolder(attendee, goal.type, owner),
        })),
        ...(known ? [] : [host]),
      ],
    };
  }
}

/** True where the owner is the only participant. */
const isAlone = ({ attendees, owner }: Appointment): boolean =>
  attendees.every(({ type, entity }) => type === PARTICIPANT.user && entity === owner);

const resolveFolder = (attendee: Appointment['attendees'][number], type: number, owner: number): number | null =>
  type === 2 || attendee.entity === owner ? null : attendee.folderId;
