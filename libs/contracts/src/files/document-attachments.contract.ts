import { attachmentOwner } from '../attachments/attachment-owner.contract';
import { requireRights } from '../kit';
import { FILE_RIGHTS } from './file.access';
import { filesEvents } from './files.events';

/** Files on documents: a document is a file itself and carries none, which who may read it is told. */
export const documentAttachments = attachmentOwner('files', {
  id: 137,
  access: requireRights(FILE_RIGHTS.read),
  deleted: filesEvents['document.deleted'],
});
