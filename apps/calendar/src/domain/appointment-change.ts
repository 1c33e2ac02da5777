import type { AppointmentChange } from '@groupware/contracts';
import { type Appointment, ENDLESS, PARTICIPANT } from './appointment';
import { keyOf } from './attendee-list';
import { isRescheduled } from './reschedule';

/** Who did it and when. */
export interface ChangeOrigin {
  readonly by?: number;
  readonly stamp?: number;
}

/** Payload of the events of an appointment: whom it concerns and which period, now or before a change. */
export function changeOf(appointment: Appointment, before?: Appointment, origin: ChangeOrigin = {}): AppointmentChange {
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
  const toMs = Math.max(...versions.map(({ rangeEndMs }) => rangeEndMs));
  return {
    id: appointment.id,
    ...(appointment.seriesId !== null && { seriesId: appointment.seriesId }),
    folders: [...new Set(folders)],
    users: entities(PARTICIPANT.user),
    resources: entities(PARTICIPANT.resource),
    uid: appointment.uid,
    ...(origin.by !== undefined && { by: origin.by }),
    ...(origin.stamp !== undefined && { stamp: origin.stamp }),
    fromMs: Math.min(...versions.map(({ startMs }) => startMs)),
    ...(toMs < ENDLESS && { toMs }),
    busy: !before || isBusyChanged(before, appointment),
  };
}

/** True when somebody may be busy at other times, or in another way, than before. */
function isBusyChanged(before: Appointment, after: Appointment): boolean {
  return (
    isRescheduled(before, after) ||
    before.shownAs !== after.shownAs ||
    before.classification !== after.classification ||
    before.floating !== after.floating ||
    String(before.exdates ?? '') !== String(after.exdates ?? '') ||
    String(before.changes ?? '') !== String(after.changes ?? '') ||
    presence(before) !== presence(after)
  );
}

const presence = ({ attendees }: Appointment): string =>
  attendees
    .map((attendee) => `${keyOf(attendee)} ${attendee.confirm} ${attendee.hidden} ${attendee.folderId}`)
    .sort()
    .join();
