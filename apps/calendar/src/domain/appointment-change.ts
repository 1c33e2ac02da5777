import type { AppointmentChange } from '@groupware/contracts';
import { type Appointment, ENDLESS, PARTICIPANT } from './appointment';
import { attendeeKey } from './attendee-list';
import { isRescheduled } from './reschedule';

/** User, client and stamp of a change. */
export interface ChangeOrigin {
  readonly by?: number;
  readonly stamp?: number;
  readonly notTold?: readonly string[];
}

/** Payload of the events of an appointment: whom it concerns and which period, now or before a change. */
export function toAppointmentChange(
  appointment: Appointment,
  before?: Appointment,
  origin: ChangeOrigin = {},
): AppointmentChange {
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
    ...(origin.notTold !== undefined && { notTold: origin.notTold }),
    fromMs: Math.min(...versions.map(({ startMs }) => startMs)),
    ...(toMs < ENDLESS && { toMs }),
    busy: !before || isBusyChanged(before, appointment),
  };
}

/** True when busy times of an attendee may differ from before. */
function isBusyChanged(before: Appointment, after: Appointment): boolean {
  return (
    isRescheduled(before, after) ||
    before.shownAs !== after.shownAs ||
    before.classification !== after.classification ||
    before.floating !== after.floating ||
    String(before.exdates ?? '') !== String(after.exdates ?? '') ||
    String(before.changes ?? '') !== String(after.changes ?? '') ||
    describePresence(before) !== describePresence(after)
  );
}

const describePresence = ({ attendees }: Appointment): string =>
  attendees
    .map((attendee) => `${attendeeKey(attendee)} ${attendee.confirm} ${attendee.hidden} ${attendee.folderId}`)
    .sort()
    .join();
