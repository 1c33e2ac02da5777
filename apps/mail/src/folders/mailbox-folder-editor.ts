import {
  FolderErrors,
  type CatalogueError,
  type FolderKey,
  type OwnedFolderChange,
  type OwnedFolderCreation,
  type OwnedFolderRemoval,
  type OwnedFoldersDone,
  type OwnedFolderWritten,
  type RefusedFolder,
} from '@groupware/contracts';
import type { ImapSession } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { Mailboxes, type MailRequest } from '../accounts/mailboxes';
import { parseMailFolder, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { listFolders, parseMailFolderKey, type MailboxFolder } from './mailbox-folders';
import { FolderRules } from './folder-rules';
import { ensureStandardFolder } from './standard-folders';

const MAX_TITLE = 255;
/** Most numbers that are tried for a name that is taken. */
const MAX_RENAMES = 1_000;

/** Creates, renames, moves and deletes folders of mailboxes. */
@Injectable()
export class MailboxFolderEditor {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly rules: FolderRules,
  ) {}

  /** Creates a folder and subscribes to it. @throws FLD-0014, FLD-0007, FLD-0008, FLD-0012, FLD-0064, FLD-0092 */
  async createFolder(request: MailRequest, creation: OwnedFolderCreation): Promise<OwnedFolderWritten> {
    const { foreignParent, title, autorename = false, subscribed = true } = creation;
    if (foreignParent || typeof creation.parent !== 'string')
      throw FolderErrors.moduleNotAllowed(creation.parent, 'mail');
    const parent = parseMailFolderKey(creation.parent);
    return this.mailboxes.useAccount(request, parent.account, {}, async (session, account) => {
      const folders = await listFolders(session, account);
      requireParent(folders, parent);
      const path = findFreePath(folders, parent, parseTitle(title, session.separator), session.separator, autorename);
      await session.createMailbox(path);
      if (!subscribed) await session.subscribe(path, false);
      return { id: toMailFolderId({ account: account.id, path }), lastModified: 0 };
    });
  }

  /** Renames, moves and subscribes. @throws as for creation, and FLD-0011, FLD-0021, FLD-0045 */
  async updateFolder(request: MailRequest, change: OwnedFolderChange): Promise<OwnedFolderWritten> {
    const folder = parseMailFolderKey(change.id);
    const { title, subscribed, autorename = false } = change;
    if (folder.path === '') throw FolderErrors.noAdminAccess(change.id);
    if (change.foreignParent || (change.parent !== undefined && typeof change.parent !== 'string'))
      throw FolderErrors.moduleNotAllowed(change.parent ?? '', 'mail');
    const { written, renamed } = await this.mailboxes.useAccount(
      request,
      folder.account,
      {},
      async (session, account) => {
        const { separator } = session;
        const folders = await listFolders(session, account);
        const own = findFolder(folders, folder.path);
        if (!own) throw FolderErrors.notFound(change.id);
        const steps = folder.path.split(separator);
        const name = steps.pop()!;
        const parent =
          change.parent === undefined
            ? { account: folder.account, path: steps.join(separator) }
            : parseMailFolder(change.parent as string);
        const newName = title === undefined || isShownTitle(own, title) ? name : parseTitle(title, separator);
        let { path } = folder;
        if (parent.path !== steps.join(separator) || newName !== name || parent.account !== folder.account) {
          if (own.role) throw newName === name ? FolderErrors.defaultNotMoved() : FolderErrors.defaultNotRenamed();
          if (parent.account !== folder.account) throw FolderErrors.noSubfolderPermission(toMailFolderId(parent));
          requireParent(folders, parent);
          if (`${parent.path}${separator}`.startsWith(`${path}${separator}`)) throw FolderErrors.belowItself();
          const target = findFreePath(folders, parent, newName, separator, autorename);
          await session.renameMailbox(path, target);
          await session.subscribe(target, own.listed.subscribed);
          await session.subscribe(path, false);
          path = target;
        }
        if (subscribed !== undefined) await session.subscribe(path, subscribed);
        return {
          written: { id: toMailFolderId({ account: account.id, path }), lastModified: 0 },
          renamed: path === folder.path ? undefined : { to: path, separator },
        };
      },
    );
    if (renamed && folder.account === 0)
      await this.rules.followFolder(request, folder.path, renamed.to, renamed.separator);
    return written;
  }

  /** Deletes folders with everything in them: into the trash, and out of the trash for good. */
  async removeFolders(request: MailRequest, removal: OwnedFolderRemoval): Promise<OwnedFoldersDone> {
    const refused: RefusedFolder[] = [];
    const trashed: FolderKey[] = [];
    for (const id of removal.ids) {
      const folder = parseMailFolderKey(id);
      const refuse = ({ entry, params }: CatalogueError): void => void refused.push({ id, error: entry.key, params });
      if (folder.path === '') {
        refuse(FolderErrors.notDeletable(id));
        continue;
      }
      await this.mailboxes.useAccount(request, folder.account, {}, async (session, account) => {
        const folders = await listFolders(session, account);
        const own = findFolder(folders, folder.path);
        if (!own) return refuse(FolderErrors.notFound(id));
        if (own.role) return refuse(FolderErrors.defaultNotDeleted());
        if (removal.check) return;
        const trash = removal.hardDelete ? undefined : await ensureStandardFolder(session, account, 'trash');
        const { separator } = session;
        if (trash === undefined || folder.path.startsWith(`${trash}${separator}`)) {
          await deleteTree(session, folders, folder.path);
          return;
        }
        const target = findFreePath(folders, { account: account.id, path: trash }, own.listed.name, separator, true);
        await session.renameMailbox(folder.path, target);
        await session.subscribe(folder.path, false);
        trashed.push(id);
      });
    }
    return { stamp: 0, refused, trashed };
  }
}

const findFolder = (folders: readonly MailboxFolder[], path: string): MailboxFolder | undefined =>
  folders.find(({ listed }) => listed.path === path);

/** Deletes a mailbox and those below it, the lowest first. */
async function deleteTree(session: ImapSession, folders: readonly MailboxFolder[], path: string): Promise<void> {
  const below = folders.filter(({ listed }) => listed.path.startsWith(`${path}${session.separator}`));
  const paths = [path, ...below.map(({ listed }) => listed.path)].sort((a, b) => b.length - a.length);
  for (const each of paths) await session.deleteMailbox(each);
}

function requireParent(folders: readonly MailboxFolder[], parent: MailFolder): void {
  const own = findFolder(folders, parent.path);
  if (parent.path !== '' && !own) throw FolderErrors.notFound(toMailFolderId(parent));
  if (own?.listed.flags.has('\\Noinferiors')) throw FolderErrors.noSubfolderPermission(toMailFolderId(parent));
}

/** Clients send the title of the inbox back, which is not its name. */
const isShownTitle = ({ listed, role }: MailboxFolder, title: string): boolean =>
  title === listed.name || (role === 'inbox' && title === 'Inbox');

/** The name of a folder. @throws FLD-0007, FLD-0064, FLD-0092 */
function parseTitle(raw: string, separator: string): string {
  const title = raw.normalize('NFC').trim();
  if (title === '') throw FolderErrors.missingField('title');
  // eslint-disable-next-line no-control-regex -- these are meant
  const bad = /[\u0000-\u001f\u007f-\u009f*%]/.exec(title)?.[0] ?? (title.includes(separator) ? separator : undefined);
  if (bad !== undefined)
    throw FolderErrors.badCharacter(
      bad < ' ' || bad >= '\u007f' ? `U+${bad.charCodeAt(0).toString(16).padStart(4, '0')}` : bad,
      title,
    );
  if (title.length > MAX_TITLE) throw FolderErrors.nameTooLong('title', MAX_TITLE, title.length);
  return title;
}

/** A full name that is free below a parent; with a number where that is wanted. @throws FLD-0012 */
function findFreePath(
  folders: readonly MailboxFolder[],
  parent: MailFolder,
  title: string,
  separator: string,
  autorename: boolean,
): string {
  const taken = new Set(folders.map(({ listed }) => listed.path.toLowerCase()));
  const prefix = parent.path === '' ? '' : `${parent.path}${separator}`;
  for (let number = 0; number < MAX_RENAMES; number += 1) {
    const path = `${prefix}${number === 0 ? title : `${title} (${number})`}`;
    if (!taken.has(path.toLowerCase())) return path;
    if (!autorename) break;
  }
  throw FolderErrors.nameTaken(title, toMailFolderId(parent));
}
