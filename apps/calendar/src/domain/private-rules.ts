import { AppointmentErrors, CalendarErrors } from '@groupware/contracts';
import { type Appointment, CLASSIFICATION, PARTICIPANT } from './appointment';

/** Fields that the rules about private appointments depend on. */
export type ClassifiedAppointment = Pick<Appointment, 'classification' | 'attendees' | 'isPublic' | 'owner'>;

/**
 * Events that are not public lie in private calendars of the user himself (CAL-4222); secret ones book no resources (CAL-42210).
 * Unlike private appointments they may have attendees.
 */
export function requireValidEventClass(
  event: ClassifiedAppointment & { folderId: number },
  user: { userId: number },
): void {
  const { classification, isPublic, owner, folderId, attendees } = event;
  if (classification === CLASSIFICATION.public) return;
  const name = classification === CLASSIFICATION.private ? 'PRIVATE' : 'CONFIDENTIAL';
  if (isPublic || owner !== user.userId) throw CalendarErrors.privateNotAllowed(name, folderId);
  if (classification === CLASSIFICATION.private && attendees.some(({ type }) => type === PARTICIPANT.resource))
    throw CalendarErrors.secretWithResources();
}

/**
 * Private appointments lie in private calendars of the user himself (APP-0070) and have no participants besides him
 * (APP-0023); secret ones book no resources (CAL-42210).
 */
export function requireValidClassification(
  appointment: ClassifiedAppointment,
  user: { readonly userId: number },
): void {
  if (appointment.classification === CLASSIFICATION.public) return;
  if (appointment.isPublic || appointment.owner !== user.userId) throw AppointmentErrors.privateNotHere();
  const others = appointment.attendees.filter(
    ({ type, entity, hidden }) => !hidden && !(type === PARTICIPANT.user && entity === appointment.owner),
  );
  if (appointment.classification === CLASSIFICATION.private && others.some(({ type }) => type === PARTICIPANT.resource))
    throw CalendarErrors.secretWithResources();
  if (others.length > 0) throw AppointmentErrors.privateWithParticipants();
}
