import { attachmentOwner } from '../attachments/attachment-owner.contract';
import { requireRights } from '../kit';
import { APPOINTMENT_RIGHTS } from './appointment.access';
import { calendarEvents } from './calendar.events';

/** Files on appointments: rights and counts. */
export const calendarAttachments = attachmentOwner('calendar', {
  id: 1,
  access: requireRights(APPOINTMENT_RIGHTS.read),
  deleted: calendarEvents['appointment.deleted'],
  copyRequested: calendarEvents['file-copy.requested'],
});
