import type { AppointmentChange } from '@groupware/contracts';
import { type Appointment, PARTICIPANT } from './appointment';

/** Payload of the events of an appointment: whom it concerns, now or before a change. */
export function changeOf(appointment: Appointment, before?: Appointment): AppointmentChange {
  const versions = before ? [before, appointment] : [appointment];
  const entities = (type: number): number[] => [
    ...new Set(
      versions.flatMap(({ attendees }) =>
        attendees.filter((attendee) => attendee.type === type).map(({ entity }) => entity!),
      ),
    ),
  ];
  const folders = versions.flatMap(({ folderId, attendees }) => [
    folderId,
    ...attendees.flatMap((attendee) => (attendee.folderId === null ? [] : [attendee.folderId])),
  ]);
  return {
    id: appointment.id,
    ...(appointment.seriesId !== null && { seriesId: appointment.seriesId }),
    folders: [...new Set(folders)],
    users: entities(PARTICIPANT.user),
    resources: entities(PARTICIPANT.resource),
  };
}
