import { operations } from './registry';

/** The call without which a client can do nothing with a capability, `<module> <action>`. Others need no module of their own. */
const NEEDED_CALLS: Readonly<Record<string, string>> = {
  webmail: 'mail attachment',
  multiple_mail_accounts: 'mail attachment',
  collect_email_addresses: 'mail attachment',
  mailfilter: 'mailfilter list',
  mailfilter_v2: 'mailfilter/v2 list',
  mail_categories: 'mail/categories unread',
  messaging: 'messaging/service all',
  contacts: 'contacts all',
  gab: 'contacts getuser',
  vcard: 'export VCARD',
  calendar_birthdays: 'contacts birthdays',
  tasks: 'tasks all',
  delegate_tasks: 'tasks all',
  infostore: 'infostore all',
  filestore: 'infostore all',
  subscription: 'subscriptions new',
  // Protocols beside the API: no module answers them yet.
  caldav: 'caldav',
  carddav: 'carddav',
  active_sync: 'eas',
  usm: 'usm',
};
/** Capabilities that stand for several others. */
const SUMS: Readonly<Record<string, readonly string[]>> = { group_ware: ['calendar', 'contacts', 'tasks'] };

/** Capabilities that are of no use without a mail server. */
const MAIL_CAPABILITIES: ReadonlySet<string> = new Set([
  'webmail',
  'multiple_mail_accounts',
  'collect_email_addresses',
  'mailfilter',
  'mailfilter_v2',
  'mail_categories',
]);

/** Whether a capability is of no use without a mail server. */
export const needsMailServer = (id: string): boolean => MAIL_CAPABILITIES.has(id);

/**
 * Whether this product has what a capability promises to clients.
 * @param calls of the product, `<module> <action>`
 */
export function isCapabilityServed(id: string, calls: ReadonlySet<string> = productCalls()): boolean {
  const parts = Object.hasOwn(SUMS, id) ? SUMS[id]! : [id];
  return parts.every((part) => !Object.hasOwn(NEEDED_CALLS, part) || calls.has(NEEDED_CALLS[part]!));
}

let known: ReadonlySet<string> | undefined;
const productCalls = (): ReadonlySet<string> =>
  (known ??= new Set(
    operations.filter(({ kind }) => kind === 'action').map(({ module, action }) => `${module} ${action ?? ''}`.trim()),
  ));
