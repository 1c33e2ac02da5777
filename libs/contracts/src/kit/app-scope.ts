/** Everything an application password, later also the token of another application, can be good for. */
export const APP_SCOPES = [
  'read_calendar',
  'write_calendar',
  'read_contacts',
  'write_contacts',
  'read_tasks',
  'write_tasks',
  'read_mail',
  'write_mail',
  'read_mailaccount',
  'write_mailaccount',
  'read_reminder',
  'write_reminder',
  'read_files',
  'write_files',
  'read_drive',
  'write_drive',
  'read_folders',
  'write_folders',
  'write_userconfig',
  'dav',
  'read_caldav',
  'write_caldav',
  'read_carddav',
  'write_carddav',
  'read_webdav',
  'write_webdav',
  'eas',
] as const;
/** The scope that every application password has, and no access token: for what of the user's own needs no scope of a module. */
export const PASSWORD_SCOPE = 'app_password';

/** See {@link APP_SCOPES}. */
export type AppScope = (typeof APP_SCOPES)[number] | typeof PASSWORD_SCOPE;

/** To which sessions of applications an operation is open: those with one of the scopes, or `any` of them. */
export type AppAccess = 'any' | readonly AppScope[];

/** True when an application with these scopes may call the operation: one that names none is closed to all of them. */
export function opensToApp(
  { appScopes = [] }: { readonly appScopes?: AppAccess },
  granted: readonly string[],
): boolean {
  return appScopes === 'any' || appScopes.some((scope) => granted.includes(scope));
}
