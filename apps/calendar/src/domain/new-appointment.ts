import type { Appointment, AppointmentContent } from './appointment';
import { withRangeEnd } from './exception';

/** Calendar and participants of a new appointment. */
export type NewAppointmentInput = Pick<Appointment, 'folderId' | 'isPublic' | 'owner' | 'attendees'> & {
  /** The storing user. */
  readonly userId: number;
};

/** An appointment or series that is not stored yet; {@link toStore} is what the writer takes. */
export function createAppointment(content: AppointmentContent, { userId, ...place }: NewAppointmentInput): Appointment {
  const id = content.rule !== null || content.rdates?.length ? -1 : 0;
  return withRangeEnd({
    ...content,
    ...place,
    id,
    seriesId: id === 0 ? null : id,
    recurrenceLocalMs: null,
    position: null,
    rangeEndMs: 0,
    changes: null,
    createdBy: userId,
    modifiedBy: userId,
    created: 0,
    lastModified: 0,
    attachments: 0,
    newestAttachment: null,
  });
}

/** A new appointment, whose id the writer gives. */
export const toStore = (appointment: Appointment): Appointment => ({
  ...appointment,
  seriesId: appointment.seriesId === null ? null : 0,
});
