import type { MailboxAccess } from '@groupware/contracts';
import type { ImapSession } from '@groupware/mail-access';
import type { ListResponse } from 'imapflow';

/** Role of a folder that every mailbox has. */
export type StandardRole = 'trash' | 'sent' | 'drafts' | 'spam' | 'archive';

/** Special uses of servers (RFC 6154) and names where there is none. */
const ROLES: Readonly<Record<StandardRole, { readonly use: string; readonly name: string }>> = {
  trash: { use: '\\Trash', name: 'Trash' },
  sent: { use: '\\Sent', name: 'Sent' },
  drafts: { use: '\\Drafts', name: 'Drafts' },
  spam: { use: '\\Junk', name: 'Spam' },
  archive: { use: '\\Archive', name: 'Archive' },
};

/** Names of roles. */
export const STANDARD_ROLES = Object.keys(ROLES) as readonly StandardRole[];

/** Finds the folder of a role: the one the user chose, else the one the server marks, else the one with the usual name. */
export function findStandardFolder(
  listed: readonly ListResponse[],
  { folders }: Pick<MailboxAccess, 'folders'>,
  role: StandardRole,
): ListResponse | undefined {
  const { use, name } = ROLES[role];
  const chosen = folders[role];
  return (
    (chosen === undefined ? undefined : listed.find(({ path }) => path === chosen)) ??
    listed.find(({ specialUse, specialUseSource }) => specialUse === use && specialUseSource === 'extension') ??
    listed.find((each) => each.name.toLowerCase() === name.toLowerCase() && each.parent.length <= 1)
  );
}

/** Full name that the folder of a role gets when it is made. */
export const toFuturePath = (
  { folders }: Pick<MailboxAccess, 'folders'>,
  role: StandardRole,
  namespacePrefix: string,
): string => folders[role] ?? `${namespacePrefix}${ROLES[role].name}`;

/** Full name of the folder of a role; it is made, and subscribed to, where there is none. */
export async function ensureStandardFolder(
  session: ImapSession,
  account: Pick<MailboxAccess, 'folders'>,
  role: StandardRole,
): Promise<string> {
  const listed = await session.listMailboxes(false);
  const found = findStandardFolder(listed, account, role);
  if (found && !found.flags.has('\\NonExistent') && !found.flags.has('\\Noselect')) return found.path;
  // An array gets the prefix of the user's namespace.
  const path = found?.path ?? account.folders[role] ?? [ROLES[role].name];
  const { path: made } = await session.createMailbox(path);
  return made;
}
