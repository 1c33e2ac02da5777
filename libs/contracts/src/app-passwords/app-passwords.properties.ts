import { property } from '../kit';

/** Application passwords. */
export const APP_PASSWORDS = property<boolean>({
  key: 'com.example.appPasswords.enabled',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Users may make passwords for applications (capability app_passwords).',
});

/** Kinds of applications. */
export const APP_PASSWORD_TYPES = property<string>({
  key: 'com.example.appPasswords.types',
  default: [
    'mail=E-Mail|read_mail write_mail read_mailaccount read_contacts write_contacts read_folders write_userconfig',
    'calendar=Calendar|read_calendar write_calendar read_folders read_reminder write_reminder',
    'contacts=Address book|read_contacts write_contacts read_folders',
    'tasks=Tasks|read_tasks write_tasks read_folders read_reminder write_reminder',
    'drive=Drive|read_files write_files read_drive write_drive read_folders write_folders',
    'caldav=Calendar client (CalDAV)|dav read_caldav write_caldav',
    'carddav=Address book client (CardDAV)|dav read_carddav write_carddav',
    'dav=Calendar and address book client (CalDAV and CardDAV)|dav read_caldav write_caldav read_carddav write_carddav',
    'webdav=File client (WebDAV)|read_webdav write_webdav',
    'eas=Mobile synchronisation|eas',
  ].join(';'),
  doc: 'Kinds of applications in the order they are shown: name=title|scopes, separated by semicolons.',
});

/** Clients that take the user's own password only. */
export const APP_PASSWORD_REFUSED_CLIENTS = property<string>({
  key: 'com.example.appPasswords.refusedClients',
  default: 'svc-appsuite,open-xchange-appsuite',
  doc: 'Comma list of client ids that cannot log in with application passwords (ASP-0012), such as the web client.',
});

/** Most application passwords. */
export const MAX_APP_PASSWORDS = property<number>({
  key: 'com.example.appPasswords.maxPerUser',
  default: 50,
  min: 1,
  max: 1000,
  scopes: ['user', 'context', 'server'],
  doc: 'Most application passwords of one user.',
});

/** Access to mail with application passwords. */
export const APP_PASSWORD_KEEPS_PASSWORD = property<boolean>({
  key: 'com.example.appPasswords.storeUserPassword',
  default: true,
  doc: "Keep the user's own password with each application password, sealed with that, so that sessions of applications can log in to the mail server.",
});
