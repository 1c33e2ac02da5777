import type { Appointment } from './appointment';

/** Id of the user of this context who organizes; undefined where nobody or somebody elsewhere does. */
export const organizerIdOf = ({ organizerId, principalId, principal }: Appointment): number | undefined =>
  (principal === null ? organizerId : principalId) ?? undefined;

/** True when a user of this context organizes. */
export const isOrganizedHere = (appointment: Appointment): boolean => organizerIdOf(appointment) !== undefined;

/** True for the copy of a user whom an organizer elsewhere invited. */
export const isInvitedCopy = (appointment: Appointment): boolean =>
  !isOrganizedHere(appointment) && Boolean(appointment.organizer);
