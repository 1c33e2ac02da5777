import { attachmentOwner } from '../attachments/attachment-owner.contract';
import { requireRights } from '../kit';
import { CONTACT_RIGHTS } from './contact.access';
import { contactEvents } from './contact.events';

/** Files on contacts: rights and counts. */
export const contactAttachments = attachmentOwner('contacts', {
  id: 7,
  access: requireRights(CONTACT_RIGHTS.read),
  deleted: contactEvents['contact.deleted'],
});
