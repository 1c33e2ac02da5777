import { MailAccountErrors, RequestErrors, type MailAccountData } from '@groupware/contracts';
import { serverFields, storedServer } from './account-view';
import { serverOf } from './server-address';
import { FOLDER_ROLES, rootFolder, UNIFIED, type StoredAccount } from './stored-account';

/** What input rules take from the configuration. */
export interface InputRules {
  /** Port of transport servers without TLS that name none. */
  readonly transportPort: number;
  /** Least and default number of minutes between two fetches of a POP3 account. */
  readonly minPop3Refresh: number;
}

/** Changes of an account; passwords in clear text, still to be sealed. */
export type AccountChanges = Partial<Omit<StoredAccount, 'id'>>;

/** An empty text deletes a value, as null does. */
const emptied = <T>(value: T): T | null => (typeof value === 'string' && value.trim() === '' ? null : value);

/** Fields that are stored as they come. */
const SIMPLE = [
  'login',
  'password',
  'transport_login',
  'transport_password',
  'transport_auth',
  'personal',
  'reply_to',
  'spam_handler',
  'mail_oauth',
  'transport_oauth',
  'unified_inbox_enabled',
  'pop3_expunge_on_quit',
  'pop3_delete_write_through',
  'pop3_storage',
  'pop3_path',
  'meta',
] as const satisfies readonly (keyof MailAccountData & keyof AccountChanges)[];

const ADDRESS = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,255}$/;

/** The address with a display name taken off. @throws SVL-0031 */
function readAddress(text: string): string {
  const address = /<([^<>]*)>\s*$/.exec(text)?.[1]?.trim() ?? text.trim();
  if (!ADDRESS.test(address)) throw RequestErrors.badBodyData(`primary_address: ${text}`);
  return address;
}

/** True for a body that asks for the virtual account that merges others. */
export const namesUnified = ({ mail_protocol: protocol, mail_url: url }: MailAccountData): boolean =>
  protocol?.trim().toLowerCase() === UNIFIED || Boolean(url?.trim().toLowerCase().startsWith(`${UNIFIED}:`));

/** Names are part of folder paths. @throws ACC-0016 */
function readAccountName(text: string | null): string {
  const name = (text ?? '').trim();
  // eslint-disable-next-line no-control-regex
  if (name === '' || /[/\\\u0000-\u001f\u007f]/.test(name)) throw MailAccountErrors.badName(text ?? '');
  return name;
}

/** Full names are stored without the account prefix. */
const withoutPrefix = (id: number, text: string): string => {
  const prefix = `${rootFolder(id)}/`;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text.replace(/^default\d+\//, '');
};

function folderChanges(id: number, body: MailAccountData): AccountChanges {
  const changes: Record<string, string | null> = {};
  for (const role of FOLDER_ROLES) {
    const plain = body[role];
    const full = body[`${role}_fullname`];
    if (plain !== undefined) {
      changes[role] = emptied(plain);
      changes[`${role}_fullname`] = null; // The former full name belonged to the former name.
    }
    if (full === undefined) continue;
    const stored = emptied(full);
    changes[`${role}_fullname`] = stored === null ? null : withoutPrefix(id, stored);
    if (stored !== null && !plain) changes[role] = withoutPrefix(id, stored).split(/[/.]/).at(-1) || stored;
  }
  return changes;
}

/**
 * What a body changes of an account; only fields that are given.
 * @throws ACC-0016, ACC-0018, ACC-0019, SVL-0031
 */
export function readChanges(body: MailAccountData, before: StoredAccount, rules: InputRules): AccountChanges {
  const changes: Record<string, unknown> = { ...folderChanges(before.id, body) };
  for (const field of SIMPLE) if (body[field] !== undefined) changes[field] = emptied(body[field]);
  // Nobody is shown a password: an empty one comes back from what was read and is no wish to delete it.
  for (const field of ['password', 'transport_password'] as const) if (!changes[field]) delete changes[field];
  if (body.name !== undefined) changes.name = readAccountName(body.name);
  if (body.primary_address !== undefined)
    changes.primary_address = body.primary_address ? readAddress(body.primary_address) : null;
  if (body.pop3_refresh_rate !== undefined)
    changes.pop3_refresh_rate =
      body.pop3_refresh_rate === null ? null : Math.max(rules.minPop3Refresh, body.pop3_refresh_rate);
  for (const side of ['mail', 'transport'] as const) {
    const port = side === 'transport' ? rules.transportPort : undefined;
    const server = serverOf(body, side, storedServer(before, side), port);
    if (server !== undefined) Object.assign(changes, serverFields(side, server));
  }
  return changes as AccountChanges;
}

/**
 * A new account from a body.
 * @throws SVL-0002 naming what is missing, and what {@link readChanges} throws
 */
export function readNewAccount(id: number, body: MailAccountData, rules: InputRules): StoredAccount {
  requireConnectionFields(body);
  if (body.name === undefined || body.name === null) throw RequestErrors.missingParameter('name');
  if (!body.primary_address) throw RequestErrors.missingParameter('primary_address');
  const account: StoredAccount = { id, ...readChanges(body, { id }, rules) };
  return account.mail_protocol === 'pop3'
    ? { ...account, pop3_refresh_rate: account.pop3_refresh_rate ?? rules.minPop3Refresh }
    : account;
}

/** @throws SVL-0002 for an account that could never be connected to */
export function requireConnectionFields(body: MailAccountData): void {
  if (!body.mail_url && !body.mail_server) throw RequestErrors.missingParameter('mail_url');
  const byOauth = (body.mail_oauth ?? -1) >= 0;
  if (!body.login && !byOauth) throw RequestErrors.missingParameter('login');
  if (!body.password && !byOauth) throw RequestErrors.missingParameter('password');
}
