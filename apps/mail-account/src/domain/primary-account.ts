import { MailAccountErrors, type MailAccountData } from '@groupware/contracts';
import type { AccountChanges } from './account-input';
import { FOLDER_ROLES, type FolderRole, type StoredAccount } from './stored-account';

const EDITABLE_FOLDERS: readonly FolderRole[] = FOLDER_ROLES.filter((role) => !role.startsWith('confirmed_'));

/** Fields of the primary account that a user may change. */
const EDITABLE: ReadonlySet<string> = new Set([
  'unified_inbox_enabled',
  'personal',
  'reply_to',
  'meta',
  ...EDITABLE_FOLDERS.flatMap((role) => [role, `${role}_fullname`]),
]);

const PASSWORDS: ReadonlySet<string> = new Set(['password', 'transport_password']);

/**
 * Requires changes to touch editable fields only; unchanged values are tolerated.
 * @param before the account as the client sees it
 * @param after the account with all changes
 * @throws ACC-0007 naming the first such attribute
 */
export function requireEditable(body: MailAccountData, before: MailAccountData, after: MailAccountData): void {
  for (const name of Object.keys(body) as (keyof MailAccountData)[]) {
    if (body[name] === undefined || EDITABLE.has(name)) continue;
    // Passwords are never shown: a sent one is always a change.
    const same = PASSWORDS.has(name) ? !body[name] : before[name] === after[name];
    if (!same) throw MailAccountErrors.primaryNotChangeable(name);
  }
}

/** Picks the real changes: unchanged fields continue to follow their source. */
export const pickEditableChanges = (changes: AccountChanges, before: StoredAccount): AccountChanges =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => EDITABLE.has(name) && value !== before[name as keyof AccountChanges],
    ),
  );
