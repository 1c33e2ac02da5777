/** Capabilities granted by each module access flag. */
const CAPABILITIES_BY_FLAG: Readonly<Record<string, readonly string[]>> = {
  calendar: ['calendar', 'freebusy', 'conflict_handling', 'participants_dialog', 'calendar_birthdays', 'caldav'],
  contacts: ['contacts', 'gab', 'carddav'],
  tasks: ['tasks'],
  delegatetask: ['delegate_tasks'],
  infostore: ['infostore', 'filestore'],
  webmail: ['webmail', 'mailfilter', 'mailfilter_v2'],
  ical: ['ical'],
  vcard: ['vcard'],
  activesync: ['active_sync'],
  usm: ['usm'],
  readcreatesharedfolders: ['read_create_shared_folders', 'share_links', 'invite_guests'],
  editpublicfolders: ['edit_public_folders'],
  editgroup: ['edit_group'],
  editresource: ['edit_resource'],
  editpassword: ['edit_password'],
  collectemailaddresses: ['collect_email_addresses'],
  multiplemailaccounts: ['multiple_mail_accounts'],
  subscription: ['subscription'],
};

const PREFIX = 'com.example.capability.';

/** Inputs of capability resolution. */
export interface CapabilitySources {
  readonly flags: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Values of the cascade by key, the user's over the context's over the server's. */
  readonly properties: Readonly<Record<string, string>>;
  /** Whether automatic login is on. */
  readonly autologin: boolean;
  /** Whether users may make application passwords. */
  readonly appPasswords?: boolean;
  /** Whether users may register second factors. */
  readonly multifactor?: boolean;
  /** Whether the inboxes of users have categories. */
  readonly mailCategories?: boolean;
}

/**
 * The capabilities of a user, sorted: from module access, then properties `com.example.capability.<name>` (false takes one
 * away), then what was added to and removed from the user.
 */
export function resolveCapabilities(sources: CapabilitySources): string[] {
  const found = new Set(
    sources.flags.flatMap((flag) => (Object.hasOwn(CAPABILITIES_BY_FLAG, flag) ? CAPABILITIES_BY_FLAG[flag]! : [])),
  );
  if (!sources.flags.includes('deniedportal')) found.add('portal');
  if (sources.flags.includes('globaladdressbookdisabled')) found.delete('gab');
  if (['calendar', 'contacts', 'tasks'].every((id) => found.has(id))) found.add('group_ware');
  if (sources.autologin) found.add('autologin');
  if (sources.appPasswords) found.add('app_passwords');
  if (sources.multifactor) found.add('multifactor');
  if (sources.mailCategories && found.has('webmail')) found.add('mail_categories');
  for (const [key, value] of Object.entries(sources.properties)) {
    if (!key.startsWith(PREFIX)) continue;
    const id = key.slice(PREFIX.length).toLowerCase();
    if (/^true$/i.test(value)) found.add(id);
    else if (/^false$/i.test(value)) found.delete(id);
  }
  for (const id of sources.added) found.add(id.toLowerCase());
  for (const id of sources.removed) found.delete(id.toLowerCase());
  return [...found].sort();
}

/** True for keys of the cascade that switch a capability. */
export const isCapabilityKey = (key: string): boolean => /^com\.example\.capability\.[a-z0-9_.-]{1,100}$/i.test(key);
