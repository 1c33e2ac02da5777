import { requireRights, defineRights, event, eventCatalog, readRight } from '../kit';
import { taskAttachments } from '../tasks/task-attachments.contract';
import { attachmentOwner, attachmentOwnerOf } from './attachment-owner.contract';

const RIGHTS = defineRights('pin', { read: readRight('Everybody') });
const events = eventCatalog('pins', { 'pin.deleted': event<{ id: number }>('A pin is gone') });

describe('owners of attachments', () => {
  it('have ids of their own: a second one would get the files of the first', () => {
    const declare = () =>
      attachmentOwner('pins', { id: 4, access: requireRights(RIGHTS.read), deleted: events['pin.deleted'] });
    expect(declare).toThrow('pins: attachments of module 4 have an owner already');
    expect(attachmentOwnerOf(4)).toBe(taskAttachments);
  });
});
