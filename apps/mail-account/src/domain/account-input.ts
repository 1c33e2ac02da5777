import { MailAccountErrors, RequestErrors, type MailAccountData } from '@groupware/contracts';
import { toServerFields, findStoredServer } from './account-view';
import { parseServerFields } from './server-address';
import { FOLDER_ROLES, toRootFolderId, UNIFIED, type StoredAccount } from './stored-account';

/** Configuration of the input rules. */
export interface InputRules {
  /** Port of transport servers without TLS that name none. */
  readonly transportPort: number;
  /** Least and default number of minutes between two fetches of a POP3 account. */
  readonly minPop3Refresh: number;
}

/** Changes of an account; passwords in clear text, still to be sealed. */
export type AccountChanges = Partial<Omit<StoredAccount, 'id'>>;

/** Empty texts delete a value, like null. */
const emptyToNull = <T>(value: T): T | null => (typeof value === 'string' && value.trim() === '' ? null : value);

/** Fields stored unchanged. */
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

/** Parses an address without its display name. @throws SVL-0031 */
function parseAddress(text: string): string {
  const address = /<([^<>]*)>\s*$/.exec(text)?.[1]?.trim() ?? text.trim();
  if (!ADDRESS.test(address)) throw RequestErrors.badBodyData(`primary_address: ${text}`);
  return address;
}

/** True for a body that requests the unified account. */
export const isUnifiedRequest = ({ mail_protocol: protocol, mail_url: url }: MailAccountData): boolean =>
  protocol?.trim().toLowerCase() === UNIFIED || Boolean(url?.trim().toLowerCase().startsWith(`${UNIFIED}:`));

/** Parses an account name, which is part of folder paths. @throws ACC-0016 */
function parseAccountName(text: string | null): string {
  const name = (text ?? '').trim();
  // eslint-disable-next-line no-control-regex
  if (name === '' || /[/\\\u0000-\u001f\u007f]/.test(name)) throw MailAccountErrors.badName(text ?? '');
  return name;
}

/** Removes the account prefix of a full name. */
const stripPrefix = (id: number, text: string): string => {
  const prefix = `${toRootFolderId(id)}/`;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text.replace(/^default\d+\//, '');
};

function parseFolderChanges(id: number, body: MailAccountData): AccountChanges {
  const changes: Record<string, string | null> = {};
  for (const role of FOLDER_ROLES) {
    const plain = body[role];
    const full = body[`${role}_fullname`];
    if (plain !== undefined) {
      changes[role] = emptyToNull(plain);
      changes[`${role}_fullname`] = null; // The former full name belonged to the former name.
    }
    if (full === undefined) continue;
    const stored = emptyToNull(full);
    changes[`${role}_fullname`] = stored === null ? null : stripPrefix(id, stored);
    if (stored !== null && !plain) changes[role] = stripPrefix(id, stored).split(/[/.]/).at(-1) || stored;
  }
  return changes;
}

/** Parses the changes in a body. @throws ACC-0016, ACC-0018, ACC-0019, SVL-0031 */
export function parseChanges(body: MailAccountData, before: StoredAccount, rules: InputRules): AccountChanges {
  const changes: Record<string, unknown> = { ...parseFolderChanges(before.id, body) };
  for (const field of SIMPLE) if (body[field] !== undefined) changes[field] = emptyToNull(body[field]);
  // Passwords are never shown: an empty one was read back and does not delete it.
  for (const field of ['password', 'transport_password'] as const) if (!changes[field]) delete changes[field];
  if (body.name !== undefined) changes.name = parseAccountName(body.name);
  if (body.primary_address !== undefined)
    changes.primary_address = body.primary_address ? parseAddress(body.primary_address) : null;
  if (body.pop3_refresh_rate !== undefined)
    changes.pop3_refresh_rate =
      body.pop3_refresh_rate === null ? null : Math.max(rules.minPop3Refresh, body.pop3_refresh_rate);
  for (const side of ['mail', 'transport'] as const) {
    const port = side === 'transport' ? rules.transportPort : undefined;
    const server = parseServerFields(body, side, findStoredServer(before, side), port);
    if (server !== undefined) Object.assign(changes, toServerFields(side, server));
  }
  return changes;
}

/** Parses a new account. @throws SVL-0002 naming the missing fields, and errors of {@link parseChanges} */
export function parseNewAccount(id: number, body: MailAccountData, rules: InputRules): StoredAccount {
  requireConnectionFields(body);
  if (body.name === undefined || body.name === null) throw RequestErrors.missingParameter('name');
  if (!body.primary_address) throw RequestErrors.missingParameter('primary_address');
  const account: StoredAccount = { id, ...parseChanges(body, { id }, rules) };
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
