import { MALICIOUS_FOLDERS, MARKS_MALICIOUS, type UserPrincipal } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { ListResponse } from 'imapflow';
import type { OpenFolder } from '../accounts/mailboxes';
import { isWithin, parseMailFolder } from '../domain/mail-folder';
import { findStandardFolder } from '../folders/standard-folders';

/** A folder in its mailbox. */
type FolderPlace = Pick<OpenFolder, 'session' | 'account' | 'folder'>;

/** Usual name of the folder for mails that users confirmed to be spam. */
const CONFIRMED_SPAM = 'confirmed-spam';

/** Knows the folders whose mails are malicious: links in them are without effect. */
@Injectable()
export class MaliciousFolders {
  constructor(private readonly properties: Properties) {}

  /** Whether a folder is one of them, or below one. */
  async includes(user: UserPrincipal, { session, account, folder }: FolderPlace): Promise<boolean> {
    if (!(await this.properties.get(MARKS_MALICIOUS, user))) return false;
    const names = (await this.properties.get(MALICIOUS_FOLDERS, user)).split(',').flatMap((name) => name.trim() || []);
    const isIn = (path: string | undefined) => isWithin(folder, path, session.separator);
    if (names.some((name) => isNamed(name, folder.account) && isIn(parseMailFolder(name).path))) return true;
    // The inbox has no other role.
    const roles = folder.path === 'INBOX' ? [] : names.filter((name) => name.startsWith('$'));
    if (roles.length === 0) return false;
    const listed = await session.listMailboxes(false);
    return roles.some((role) => isIn(findByRole(listed, account, role.toLowerCase())));
  }
}

/** Whether a name is the one of a folder in an account: one without an account is of all of them. */
const isNamed = (name: string, account: number): boolean =>
  !name.startsWith('$') && (!/^default\d+(?:\/|$)/.test(name) || parseMailFolder(name).account === account);

/** Full name of the folder that a word stands for; undefined where there is none. */
function findByRole(listed: readonly ListResponse[], account: OpenFolder['account'], role: string): string | undefined {
  if (role === '$spam') return findStandardFolder(listed, account, 'spam')?.path;
  if (role !== '$confirmed-spam') return undefined;
  const usual = listed.find(({ name, parent }) => name.toLowerCase() === CONFIRMED_SPAM && parent.length <= 1);
  return account.folders.confirmed_spam ?? usual?.path;
}
