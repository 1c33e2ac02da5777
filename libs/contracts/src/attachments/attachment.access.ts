import { defineRights, readRight, writeRight } from '../kit';

/** Rights on attachments: the module that owns the object decides. */
export const ATTACHMENT_RIGHTS = defineRights('attachment', {
  read: readRight('The user may read the object'),
  write: writeRight('The user may change the object'),
});
