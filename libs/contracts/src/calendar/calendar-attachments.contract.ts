import { attachmentOwner } from '../attachments/attachment-owner.contract';

/** Files on appointments: rights and counts. */
export const calendarAttachments = attachmentOwner('calendar', 1);
