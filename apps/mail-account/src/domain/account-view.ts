import { fieldsOf, MailAccountData, RequestErrors, type StandardMailFolders } from '@groupware/contracts';
import {
  FOLDER_NAMES,
  FOLDER_ROLES,
  isUnified,
  toRootFolderId,
  type FolderRole,
  type StoredAccount,
} from './stored-account';
import { toServerUrl, type ServerAddress, type ServerSide } from './server-address';

/** Finds the server of a stored account. */
export function findStoredServer(account: StoredAccount, side: ServerSide): ServerAddress | undefined {
  const host = account[`${side}_server`];
  const port = account[`${side}_port`];
  if (!host || !port) return undefined;
  return {
    protocol: account[`${side}_protocol`] ?? (side === 'mail' ? 'imap' : 'smtp'),
    host,
    port,
    secure: account[`${side}_secure`] ?? false,
    starttls: account[`${side}_starttls`] ?? false,
  };
}

/** Converts a server to stored fields. */
export const toServerFields = (side: ServerSide, server: ServerAddress | null): Partial<StoredAccount> => ({
  [`${side}_server`]: server?.host ?? null,
  [`${side}_port`]: server?.port ?? null,
  [`${side}_protocol`]: server?.protocol ?? null,
  [`${side}_secure`]: server?.secure ?? null,
  [`${side}_starttls`]: server?.starttls ?? null,
});

/** Converts standard folders to full names with the account prefix. */
function toFolderFields(account: StoredAccount): MailAccountData {
  return Object.fromEntries(
    FOLDER_ROLES.flatMap((role) => {
      const plain = account[role] ?? FOLDER_NAMES[role];
      return [
        [role, plain],
        [`${role}_fullname`, `${toRootFolderId(account.id)}/${account[`${role}_fullname`] ?? plain}`],
      ];
    }),
  );
}

/**
 * Converts an account to its view: without unset fields and passwords.
 * @param addresses primary address and aliases; of the primary account only
 */
export function toAccountView(account: StoredAccount, addresses?: readonly string[]): MailAccountData {
  const mail = findStoredServer(account, 'mail');
  const transport = findStoredServer(account, 'transport');
  const isPop3 = account.mail_protocol === 'pop3';
  const virtual = isUnified(account);
  const fields: MailAccountData = {
    id: account.id,
    login: account.login,
    mail_url: mail && !virtual ? toServerUrl(mail) : undefined,
    transport_url: transport ? toServerUrl(transport) : undefined,
    name: account.name,
    primary_address: account.primary_address,
    spam_handler: account.spam_handler ?? 'NoSpamHandler',
    ...toFolderFields(account),
    mail_server: account.mail_server,
    mail_port: account.mail_port,
    mail_protocol: account.mail_protocol,
    mail_secure: account.mail_secure ?? false,
    mail_starttls: account.mail_starttls ?? false,
    transport_server: account.transport_server,
    transport_port: account.transport_port,
    transport_protocol: account.transport_protocol,
    transport_secure: account.transport_secure ?? false,
    transport_starttls: account.transport_starttls ?? false,
    transport_login: account.transport_login,
    transport_auth: account.transport_auth ?? 'mail',
    unified_inbox_enabled: account.unified_inbox_enabled ?? false,
    pop3_refresh_rate: account.pop3_refresh_rate,
    pop3_expunge_on_quit: account.pop3_expunge_on_quit ?? false,
    pop3_delete_write_through: account.pop3_delete_write_through ?? false,
    pop3_storage: account.pop3_storage ?? (isPop3 ? 'mailaccount' : undefined),
    pop3_path: account.pop3_path ?? (isPop3 ? account.name : undefined),
    personal: account.personal,
    reply_to: account.reply_to,
    addresses: addresses ? addresses.join(',') : undefined,
    meta: account.meta,
    root_folder: toRootFolderId(account.id),
    mail_oauth: account.mail_oauth ?? -1,
    transport_oauth: account.transport_oauth ?? -1,
    mail_disabled: account.mail_disabled ?? false,
    transport_disabled: account.transport_disabled ?? false,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** The view of an account with the folders that its server has, for roles whose folder the user did not choose. */
export function withServerFolders(
  { account, view }: { readonly account: StoredAccount; readonly view: MailAccountData },
  { ids, separator }: StandardMailFolders,
): MailAccountData {
  const found = SERVER_ROLES.filter((role) => !account[role] && !account[`${role}_fullname`]).flatMap((role) => [
    [role, findName(ids[role], separator)],
    [`${role}_fullname`, ids[role]],
  ]);
  return { ...view, ...Object.fromEntries(found) };
}

const SERVER_ROLES = ['trash', 'sent', 'drafts', 'spam', 'archive'] as const satisfies readonly FolderRole[];
/** Fields that depend on the folders of the server. */
export const SERVER_FOLDER_FIELDS: readonly string[] = SERVER_ROLES.flatMap((role) => [role, `${role}_fullname`]);

/** Last level of the full name within the id of a folder. */
function findName(id: string, separator: string): string {
  const path = id.slice(id.indexOf('/') + 1);
  return separator ? path.slice(path.lastIndexOf(separator) + separator.length) : path;
}

const META_COLUMN = 1040;
/** Default columns of lists. */
export const ALL_COLUMNS: readonly string[] = fieldsOf(MailAccountData)
  .flatMap(({ column }) => (column === undefined || column === META_COLUMN ? [] : [String(column)]))
  .sort();

/** Fields of the requested columns, undefined for passwords. @throws SVL-0010 for unknown columns */
export const parseAccountColumns = (columns: readonly string[]): (keyof MailAccountData | undefined)[] =>
  columns.map((column) => {
    const field = fieldsOf(MailAccountData).find(
      (candidate) => String(candidate.column) === column || candidate.wireName === column,
    );
    if (!field) throw RequestErrors.badParameter('columns', column);
    return field.writeOnly ? undefined : (field.property as keyof MailAccountData);
  });

/** Converts accounts to rows of fields. Passwords are null. */
export function toAccountRows(
  accounts: readonly MailAccountData[],
  properties: readonly (keyof MailAccountData | undefined)[],
): unknown[][] {
  return accounts.map((account) => properties.map((property) => (property && account[property]) ?? null));
}
