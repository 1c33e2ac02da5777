import { opensToApp, type Operation } from '../kit';
import { operations } from '../registry';
import { opensFolders, opensModule, requireFolderScope, requireModuleScope, resolveGrantedScopes } from './app-scopes';

const withSession = operations.filter(({ kind, auth }) => kind === 'action' && auth === 'session');
const nameOf = ({ module, name }: Operation): string => `${module}.${name}`;

/** Every decision about an operation, in the order of the registry. */
function decisions(): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const operation of withSession) {
    const { appScopes = 'closed' } = operation;
    const decision = typeof appScopes === 'string' ? appScopes : appScopes.join(' ');
    (found[decision] ??= []).push(nameOf(operation));
  }
  for (const names of Object.values(found)) names.sort();
  return found;
}

const reading = ['read_calendar', 'read_contacts', 'read_tasks', 'read_files'];
const RESOURCES = 'read_contacts read_calendar read_tasks';
const PEOPLE = `${RESOURCES} read_drive`;

describe('what sessions of applications may call', () => {
  // Anyone who adds an operation decides here as well: nothing opens by itself.
  it('is decided for every operation', () => {
    const { any, closed, ...scoped } = decisions();
    expect(any).toEqual([...['config.get', 'config.getProperty', 'multiple.process', 'user.me', 'user/me.me']]);
    expect(closed).toEqual([
      ...['appPasswords.add', 'appPasswords.getApps', 'appPasswords.list', 'appPasswords.remove'],
      ...['certificate.all', 'certificate.delete', 'certificate.deleteAll', 'certificate.examine', 'certificate.get'],
      ...['certificate.store', 'certificate.update'],
      ...[
        'conversion.convert',
        'file.get',
        'file.keepalive',
        'file.new',
        'group.delete',
        'group.new',
        'group.update',
        'halo/contact.investigate',
        'halo/contact.investigateByPut',
        'halo/contact.services',
        'image/mfile/picture.picture',
      ],
      ...['jobs.all', 'jobs.cancel', 'jobs.get', 'jobs.info'],
      ...['jump.identityToken', 'login.changeip', 'login.rampup'],
      ...['mail.resolve_share_reference', 'mail.saveAttachment', 'mail/categories.train'],
      ...['mailfilter.delete', 'mailfilter.deletescript', 'mailfilter.new', 'mailfilter.reorder', 'mailfilter.update'],
      ...['mailfilter/v2.delete', 'mailfilter/v2.deletescript', 'mailfilter/v2.new', 'mailfilter/v2.reorder'],
      'mailfilter/v2.update',
      ...['messaging/account.all', 'messaging/account.delete', 'messaging/account.get', 'messaging/account.new'],
      ...['messaging/account.update', 'messaging/message.all', 'messaging/message.get', 'messaging/message.list'],
      ...['messaging/message.perform', 'messaging/message.send', 'messaging/service.all', 'messaging/service.get'],
      ...['multifactor/device.all', 'multifactor/device.delete', 'multifactor/device.finishAuthentication'],
      ...['multifactor/device.finishRegistration', 'multifactor/device.rename'],
      ...['multifactor/device.startAuthentication', 'multifactor/device.startRegistration'],
      ...[
        'multifactor/provider.all',
        ...['oauth/accounts.all', 'oauth/accounts.create', 'oauth/accounts.createByGet', 'oauth/accounts.delete'],
        ...['oauth/accounts.get', 'oauth/accounts.init', 'oauth/accounts.reauthorize'],
        ...['oauth/accounts.reauthorizeByGet', 'oauth/accounts.update'],
        'oauth/grants.all',
        'oauth/grants.revoke',
        ...['oauth/services.all', 'oauth/services.get'],
        'onboarding.config',
        'onboarding.download',
        'onboarding.execute',
      ],
      ...['onboarding.link', 'passwordchange.update', 'pns.events', 'pns.socket', 'pns.subscribe', 'pns.unsubscribe'],
      ...['pns.webPushKey', 'resource.delete', 'resource.new', 'resource.update', 'sessionmanagement.all'],
      ...['sessionmanagement.clear', 'sessionmanagement.delete', 'share/management.deleteLink'],
      ...[
        'share/management.getLink',
        'share/management.sendLink',
        'share/management.updateLink',
        'token.acquireToken',
        'user.getAttribute',
      ],
      ...['user.setAttribute', 'user.update', 'user.updateWithImage'],
    ]);
    expect(scoped).toEqual({
      'read_calendar read_tasks': ['export.ICALObjects'],
      read_calendar: [
        ...['calendar.all', 'calendar.freebusy', 'calendar.get', 'calendar.getChangeExceptions', 'calendar.has'],
        ...['calendar.list', 'calendar.newappointments', 'calendar.resolveuid', 'calendar.search', 'calendar.updates'],
        ...[
          'chronos.all',
          'chronos.allByPut',
          'chronos.freeBusy',
          'chronos.get',
          'chronos.getAttachment',
          'chronos.list',
          'chronos.needsAction',
        ],
        'chronos.resolve',
        'chronos.updates',
        'chronos.zipAttachments',
        'chronos/account.probe',
        'chronos/alarm.pending',
        'chronos/availability.get',
        'chronos/itip.analyze',
        'chronos/schedjoules.browse',
        'chronos/schedjoules.countries',
        'chronos/schedjoules.languages',
        'chronos/schedjoules.search',
        ...['export.ICAL', 'find.autocompleteEvents', 'find.queryEvents'],
        ...['freebusy.get', 'freebusy.list'],
      ],
      write_calendar: [
        ...['calendar.confirm', 'calendar.copy', 'calendar.delete', 'calendar.new', 'calendar.update'],
        ...['chronos.changeOrganizer', 'chronos.delete', 'chronos.move', 'chronos.new', 'chronos.newWithFiles'],
        ...['chronos.update', 'chronos.updateAttendee', 'chronos.updateWithFiles', 'chronos/alarm.ack'],
        ...[
          'chronos/alarm.ackByPut',
          'chronos/alarm.snooze',
          'chronos/alarm.snoozeByPut',
          'chronos/alarm.updateAlarms',
          'chronos/availability.set',
          ...['chronos/itip.accept', 'chronos/itip.accept_and_ignore_conflicts', 'chronos/itip.accept_party_crasher'],
          ...['chronos/itip.cancel', 'chronos/itip.counter', 'chronos/itip.decline', 'chronos/itip.declinecounter'],
          ...['chronos/itip.delegate', 'chronos/itip.delete'],
          ...['chronos/itip.ignore', 'chronos/itip.refresh', 'chronos/itip.tentative', 'chronos/itip.update'],
        ],
        'import.ICAL',
      ],
      read_contacts: [
        ...['contacts.advancedSearch', 'contacts.all', 'contacts.anniversaries', 'contacts.autocomplete'],
        ...['contacts.birthdays', 'contacts.get', 'contacts.getuser', 'contacts.list', 'contacts.listuser'],
        ...['contacts.search', 'contacts.updates', 'contacts/picture.get', 'export.CSV', 'export.CSVObjects'],
        ...['export.VCARD', 'export.VCARDObjects', 'find.autocompleteContacts', 'find.queryContacts'],
        ...['halo/contact/picture.picture', 'image/contact/picture.picture'],
      ],
      write_contacts: [
        'contacts.delete',
        'contacts.new',
        'contacts.newWithImage',
        'contacts.update',
        'contacts.updateWithImage',
        'import.CSV',
        'import.OUTLOOK_CSV',
        'import.VCARD',
      ],
      read_tasks: [
        ...['export.ICALTasks', 'find.autocompleteTasks', 'find.queryTasks', 'tasks.all', 'tasks.get', 'tasks.list'],
        ...['tasks.search', 'tasks.updates'],
      ],
      write_tasks: ['import.ICALTasks', 'tasks.confirm', 'tasks.delete', 'tasks.new', 'tasks.update'],
      read_files: [
        ...['fileaccount.all', 'fileaccount.get', 'fileservice.all', 'fileservice.get'],
        'find.autocompleteFiles',
        'find.queryFiles',
        'image/file/mp3cover.cover',
        'infostore.all',
        'infostore.checkname',
        'infostore.document',
        'infostore.get',
        'infostore.list',
        'infostore.search',
        'infostore.shares',
        'infostore.updates',
        'infostore.versions',
        'infostore.zipdocuments',
        'infostore.zipfolder',
      ],
      write_files: [
        ...['fileaccount.delete', 'fileaccount.new', 'fileaccount.update'],
        'infostore.copy',
        'infostore.copyFile',
        'infostore.delete',
        'infostore.detach',
        'infostore.lock',
        'infostore.move',
        'infostore.moveOne',
        'infostore.new',
        'infostore.newFile',
        'infostore.notify',
        'infostore.restore',
        'infostore.revert',
        'infostore.saveAs',
        'infostore.unlock',
        'infostore.update',
        'infostore.updateFile',
        'infostore.upload',
      ],
      read_folders: [
        ...['folders.allVisible', 'folders.allVisibleByPut', 'folders.checklimits', 'folders.get', 'folders.list'],
        ...['folders.path', 'folders.root', 'folders.shares', 'folders.updates'],
      ],
      write_folders: [
        ...['folders.clear', 'folders.delete', 'folders.new', 'folders.notify', 'folders.restore', 'folders.update'],
        'sync.refreshServer',
      ],
      [reading.join(' ')]: [
        ...['attachment.all', 'attachment.document', 'attachment.get', 'attachment.list', 'attachment.updates'],
        ...['attachment.zipDocuments', 'attachment.zipDocumentsById'],
      ],
      [reading.join(' ').replaceAll('read', 'write')]: ['attachment.attach', 'attachment.detach'],
      read_reminder: ['reminder.range'],
      write_reminder: ['reminder.delete', 'reminder.remindAgain'],
      read_mail: [
        ...['find.autocompleteMails', 'find.queryMails'],
        'image/mail/compose/image.picture',
        ...['image/mail/picture.picture', 'image/mail/trustedMail/picture.picture'],
        ...['mail.all', 'mail.attachment', 'mail.count', 'mail.examine'],
        ...['mail.forward', 'mail.forwardSeveral', 'mail.get', 'mail.list', 'mail.reply'],
        ...['mail.replyall', 'mail.search', 'mail.threadReferencesByPut', 'mail.thread_references'],
        ...['mail.threadedAll', 'mail.updates', 'mail.zip_attachments'],
        ...['mail.zip_messages', 'mail/categories.unread'],
        ...['mail/compose.all', 'mail/compose.list', 'mail/compose/{id}.get'],
        'mail/compose/{id}/attachments/{attachmentId}.get',
        ...['mailfilter.config', 'mailfilter.getscript', 'mailfilter.list', 'mailfilter/v2.config'],
        ...['mailfilter/v2.getscript', 'mailfilter/v2.list'],
      ],
      write_mail: [
        ...['mail.all_seen', 'mail.archive', 'mail.archive_folder', 'mail.autosave', 'mail.clear'],
        ...['mail.copy', 'mail.delete', 'mail.expunge', 'mail.import', 'mail.new'],
        ...['mail.newSource', 'mail.receipt_ack', 'mail.update', 'mail/categories.move'],
        'mail/compose.open',
        ...['mail/compose/{id}.delete', 'mail/compose/{id}.patch', 'mail/compose/{id}.update'],
        'mail/compose/{id}/attachments.add',
        'mail/compose/{id}/attachments/original.add',
        'mail/compose/{id}/attachments/vcard.add',
        'mail/compose/{id}/attachments/{attachmentId}.delete',
        'mail/compose/{id}/attachments/{attachmentId}.replace',
        ...['mail/compose/{id}/save.save', 'mail/compose/{id}/send.send'],
      ],
      read_mailaccount: ['account.all', 'account.get', 'account.status'],
      write_mailaccount: ['account.delete', 'account.new', 'account.update', 'account.validate', 'autoconfig.get'],
      write_userconfig: [
        'image/snippet/image.picture',
        ...[
          'snippet.all',
          'snippet.attach',
          'snippet.delete',
          'snippet.detach',
          'snippet.get',
          'snippet.getattachment',
        ],
        ...['snippet.list', 'snippet.new', 'snippet.update'],
      ],
      app_password: [
        'advertisement.get',
        ...['capabilities.all', 'capabilities.get', 'jslob.all', 'jslob.list', 'jslob.set', 'jslob.update'],
        ...['login.refreshSecret', 'quota.get', 'recovery/secret.check', 'rss.read', 'rss.readByPut'],
        ...['subscriptionSources.all', 'subscriptions.all', 'system.whoami', 'userfeedback.store'],
      ],
      'write_userconfig app_password': ['config.set', 'config.setProperty'],
      'read_mail app_password': ['quota.mail'],
      'read_files read_drive app_password': ['quota.filestore'],
      [PEOPLE]: [
        ...['group.all', 'group.get', 'group.list', 'group.search', 'group.updates', 'image/user/picture.picture'],
        ...['user.all', 'user.get', 'user.list', 'user.search'],
      ],
      [RESOURCES]: ['resource.all', 'resource.get', 'resource.list', 'resource.search', 'resource.updates'],
    });
  });

  it('is nothing where an operation says nothing, and never more than the scopes', () => {
    expect(opensToApp({}, ['read_calendar'])).toBe(false);
    expect(opensToApp({ appScopes: [] }, ['read_calendar'])).toBe(false);
    expect(opensToApp({ appScopes: ['read_calendar'] }, [])).toBe(false);
    expect(opensToApp({ appScopes: ['read_calendar'] }, ['write_calendar', '', 'any'])).toBe(false);
    expect(opensToApp({ appScopes: ['read_calendar', 'read_tasks'] }, ['read_tasks'])).toBe(true);
    expect(opensToApp({ appScopes: 'any' }, ['eas'])).toBe(true);
  });
});

describe('objects and folders of modules', () => {
  it('need the scope of their module', () => {
    const app = { appScopes: ['read_calendar', 'write_files'] };
    expect(opensModule({}, 'calendar', 'write')).toBe(true);
    expect(opensModule(app, 'calendar', 'read')).toBe(true);
    expect(opensModule(app, 'calendar', 'write')).toBe(false);
    expect(opensModule(app, 'infostore', 'write')).toBe(true);
    for (const unknown of ['jslob', 'constructor', '__proto__', ''])
      expect(opensModule({ appScopes: ['read_jslob', 'undefined', 'read_undefined'] }, unknown, 'read')).toBe(false);
    expect(() => requireModuleScope(app, 'tasks', 'read')).toThrow('Required scope: read_tasks');
  });

  it('whose objects may be changed have folders that may be seen', () => {
    const app = { appScopes: ['write_contacts', 'read_mail'] };
    expect(opensModule(app, 'contacts', 'read')).toBe(false);
    for (const [module, mode] of [
      ['contacts', 'read'],
      ['contacts', 'write'],
      ['mail', 'read'],
    ] as const)
      expect(opensFolders(app, module, mode)).toBe(true);
    expect(() => requireFolderScope(app, 'mail', 'write')).toThrow('Required scope: write_mail');
    expect(() => requireFolderScope(app, 'tasks', 'read')).toThrow('Required scope: read_tasks');
  });

  it('are open to applications of users with a scope of any module', () => {
    expect(resolveGrantedScopes(['read_calendar'])).toEqual(['read_calendar', 'read_folders']);
    expect(resolveGrantedScopes(['read_mail'])).toEqual(['read_mail', 'read_folders']);
    expect(resolveGrantedScopes(['write_tasks', 'read_reminder'])).toEqual([
      'write_tasks',
      'read_reminder',
      'read_folders',
      'write_folders',
    ]);
    expect(resolveGrantedScopes(['read_folders', 'read_files'])).toEqual(['read_folders', 'read_files']);
  });

  it('are open by the names that scopes have for users', () => {
    expect(resolveGrantedScopes(['read_reminders', 'write_reminders'])).toEqual(['read_reminder', 'write_reminder']);
    expect(resolveGrantedScopes(['caldav', 'carddav'])).toEqual([
      ...['dav', 'read_caldav', 'write_caldav', 'read_carddav', 'write_carddav'],
    ]);
    expect(resolveGrantedScopes(['constructor'])).toEqual(['constructor']);
  });
});
