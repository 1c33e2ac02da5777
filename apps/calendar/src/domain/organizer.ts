import { type Appointment, findAttendee } from './appointment';
import { getEventRest } from './appointment-rest';

/** Id of the organizer; undefined without one, and for one outside of this context. */
export const organizerIdOf = ({ organizerId, principalId, principal }: Appointment): number | undefined =>
  (principal === null ? organizerId : principalId) ?? undefined;

/** True when a user of this context organizes. */
export const isOrganizedHere = (appointment: Appointment): boolean => organizerIdOf(appointment) !== undefined;

/** True for the copy of a user whom an organizer elsewhere invited. */
export const isInvitedCopy = (appointment: Appointment): boolean =>
  !isOrganizedHere(appointment) && Boolean(appointment.organizer);

/** True for the organizer, and for attendees whom he lets change the event as he does. */
export const actsAsOrganizer = (event: Appointment, userId: number): boolean =>
  organizerIdOf(event) === userId ||
  (getEventRest(event).attendeePrivileges === 'MODIFY' &&
    event.organizerId !== null &&
    findAttendee(event, userId)?.hidden === false);

/** True for a calendar user to whom an event shows how its moderators come in: the organizer's side, and copies as they came. */
export const isModeratorSide = (event: Appointment, calendarUser: number): boolean =>
  actsAsOrganizer(event, calendarUser) || isInvitedCopy(event) || (!event.isPublic && event.owner === calendarUser);

/** True where a calendar user only takes part: he answers and keeps alarms of his own, all else is the organizer's. */
export const isMereAttendee = (
  event: Appointment,
  { folder, asAttendee }: { readonly folder: { readonly calendarUser: number }; readonly asAttendee: boolean },
): boolean => (asAttendee && !actsAsOrganizer(event, folder.calendarUser)) || (!event.isPublic && isInvitedCopy(event));
