import type { UserPrincipal } from '../kit';
import { operations } from '../registry';
import { requirePermission } from './permission';

const guest: UserPrincipal = {
  kind: 'user',
  contextId: 1,
  userId: 9,
  groups: [],
  locale: 'en_US',
  timeZone: 'UTC',
  // As many as an operator may ever give a guest by mistake.
  capabilities: operations.flatMap(({ capability }) => capability ?? []),
  login: 'guest-9',
  displayName: 'Guest',
  email: '',
  sessionId: '0',
  guest: true,
};
const isOpen = (operation: (typeof operations)[number]): boolean => {
  try {
    requirePermission(operation, guest);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'SVL-0016' });
    return false;
  }
};

describe('what guests may call', () => {
  it('is reading folders and making some, reading appointments, contacts and tasks with their files and pictures, documents as their rights say, themselves, their own settings and password, and what keeps a session alive', () => {
    const open = operations.filter(({ auth }) => auth === 'session').filter(isOpen);
    expect(open.map(({ module, name }) => `${module}.${name}`).sort()).toEqual([
      'attachment.all',
      'attachment.document',
      'attachment.get',
      'attachment.list',
      'calendar.all',
      'calendar.get',
      'calendar.list',
      'calendar.search',
      'calendar.updates',
      'capabilities.all',
      'capabilities.get',
      'chronos.all',
      'chronos.allByPut',
      'chronos.get',
      'chronos.list',
      'chronos.updates',
      'config.get',
      'config.getProperty',
      'contacts.advancedSearch',
      'contacts.all',
      'contacts.get',
      'contacts.list',
      'contacts.search',
      'contacts.updates',
      'contacts/picture.get',
      'fileaccount.all',
      'fileaccount.get',
      'fileservice.all',
      'fileservice.get',
      'folders.allVisible',
      'folders.allVisibleByPut',
      'folders.get',
      'folders.list',
      'folders.new',
      'folders.path',
      'folders.root',
      'folders.updates',
      'halo/contact/picture.picture',
      'image/contact/picture.picture',
      'infostore.all',
      'infostore.checkname',
      'infostore.copy',
      'infostore.copyFile',
      'infostore.delete',
      'infostore.detach',
      'infostore.document',
      'infostore.get',
      'infostore.list',
      'infostore.lock',
      'infostore.move',
      'infostore.moveOne',
      'infostore.new',
      'infostore.newFile',
      'infostore.revert',
      'infostore.search',
      'infostore.unlock',
      'infostore.update',
      'infostore.updateFile',
      'infostore.updates',
      'infostore.upload',
      'infostore.versions',
      'infostore.zipdocuments',
      'infostore.zipfolder',
      'jslob.all',
      'jslob.list',
      'jslob.set',
      'jslob.update',
      'login.changeip',
      'login.rampup',
      'login.refreshSecret',
      'multiple.process',
      'passwordchange.update',
      'system.whoami',
      'tasks.all',
      'tasks.get',
      'tasks.list',
      'tasks.search',
      'tasks.updates',
      'user.all',
      'user.get',
      'user.list',
      'user.update',
    ]);
  });
});
