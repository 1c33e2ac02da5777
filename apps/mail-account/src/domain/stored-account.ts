import type { MailAccountData } from '@groupware/contracts';

/** Fields that are computed when an account is read. */
type Computed = 'id' | 'mail_url' | 'transport_url' | 'addresses' | 'root_folder';

/**
 * A stored account: the wire fields but the computed ones. Passwords are sealed, full folder names have no account
 * prefix.
 */
export type StoredAccount = { readonly id: number } & {
  readonly [K in Exclude<keyof MailAccountData, Computed>]?: MailAccountData[K] | null;
};

/** Stored fields: columns of the table, the only texts that reach SQL. */
export const STORED_FIELDS = [
  'name',
  'login',
  'password',
  'mail_server',
  'mail_port',
  'mail_protocol',
  'mail_secure',
  'mail_starttls',
  'mail_oauth',
  'transport_server',
  'transport_port',
  'transport_protocol',
  'transport_secure',
  'transport_starttls',
  'transport_oauth',
  'transport_auth',
  'transport_login',
  'transport_password',
  'primary_address',
  'personal',
  'reply_to',
  'spam_handler',
  'trash',
  'sent',
  'drafts',
  'spam',
  'confirmed_spam',
  'confirmed_ham',
  'archive',
  'trash_fullname',
  'sent_fullname',
  'drafts_fullname',
  'spam_fullname',
  'confirmed_spam_fullname',
  'confirmed_ham_fullname',
  'archive_fullname',
  'unified_inbox_enabled',
  'pop3_refresh_rate',
  'pop3_expunge_on_quit',
  'pop3_delete_write_through',
  'pop3_storage',
  'pop3_path',
  'meta',
  'mail_disabled',
  'transport_disabled',
] as const satisfies readonly Exclude<keyof StoredAccount, 'id'>[];

/** Name of a stored field. */
export type StoredField = (typeof STORED_FIELDS)[number];

/** The primary account. */
export const PRIMARY_ID = 0;
/** Protocol of the unified account. */
export const UNIFIED = 'unifiedinbox';

/** True for the unified account. */
export const isUnified = (account: Pick<StoredAccount, 'mail_protocol'>): boolean => account.mail_protocol === UNIFIED;

/** Roles of standard folders, with default names. */
export const FOLDER_NAMES = {
  trash: 'Trash',
  sent: 'Sent',
  drafts: 'Drafts',
  spam: 'Spam',
  confirmed_spam: 'confirmed-spam',
  confirmed_ham: 'confirmed-ham',
  archive: 'Archive',
} as const;

/** Role of a standard folder. */
export type FolderRole = keyof typeof FOLDER_NAMES;

/** All roles. */
export const FOLDER_ROLES = Object.keys(FOLDER_NAMES) as readonly FolderRole[];

/** Id of an account's root folder. */
export const toRootFolderId = (id: number): string => `default${id}`;
