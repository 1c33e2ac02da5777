import {
  FolderErrors,
  type CatalogueError,
  type MailboxAccess,
  type OwnedFolderChange,
  type OwnedFolderCreation,
  type OwnedFolderRemoval,
  type OwnedFoldersDone,
  type OwnedFolderWritten,
  type OwnedPermission,
  type RefusedFolder,
  type TrashedFolder,
  type UserRequest,
} from '@groupware/contracts';
import { listNewEntities } from '@groupware/folders';
import { findRefusal, type ImapSession } from '@groupware/mail-access';
import { ModuleDatabase } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { listFolders, parseMailFolderKey, type MailboxFolder } from './mailbox-folders';
import { FolderNotices } from './folder-notices';
import { FolderRules } from './folder-rules';
import { type MailboxAcl, MailboxPermissions } from './mailbox-permissions';
import { ensureStandardFolder } from './standard-folders';

const MAX_TITLE = 255;
/** Longest full name, bytes, that servers take which keep mailboxes as files: those of Maildir++ begin with a dot. */
const MAX_NAME_BYTES = 254;
/** Most numbers that are tried for a name that is taken. */
const MAX_RENAMES = 1_000;

/** Place of a folder after its change. */
interface PlannedPlace {
  readonly path: string;
  /** Ends of the full names of what stays subscribed, of the folder and those below it: empty for the folder itself. */
  readonly subscribed: readonly string[];
}

/** A permission list, and what it gives to others. */
interface Sharing {
  readonly permissions: readonly OwnedPermission[];
  readonly grants: MailboxAcl;
}

/** Outcome of a deletion: where the folder goes, nowhere, or why it stays. */
type PlannedRemoval = { readonly place?: PlannedPlace; readonly refused?: Omit<RefusedFolder, 'id'> };

/**
 * Creates, renames, moves and deletes folders of mailboxes. No transaction covers what a mail server does: each decision is noted
 * under the key of its call, and then whatever of it is not done yet is done, so that a call that is sent again does nothing twice.
 */
@Injectable()
export class MailboxFolderEditor {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly rules: FolderRules,
    private readonly permissions: MailboxPermissions,
    private readonly notices: FolderNotices,
    private readonly database: ModuleDatabase,
  ) {}

  /** Creates a folder and subscribes to it. @throws FLD-0014, FLD-0007, FLD-0008, FLD-0012, FLD-0064, FLD-0092, and those of permissions */
  async createFolder(request: UserRequest, creation: OwnedFolderCreation): Promise<OwnedFolderWritten> {
    const { foreignParent, title, autorename = false, subscribed = true } = creation;
    if (foreignParent || typeof creation.parent !== 'string')
      throw FolderErrors.moduleNotAllowed(creation.parent, 'mail');
    const parent = parseMailFolderKey(creation.parent);
    const sharing = await this.parseSharing(request, parent.account, creation.permissions);
    const id = await this.mailboxes.useAccount(request, parent.account, {}, async (session, account) => {
      const folders = await listFolders(session, account, { wanted: [parent.path] });
      const { separator } = session;
      if (sharing?.grants.size && !session.can('ACL')) throw FolderErrors.noAdminAccess(creation.parent);
      const path = await this.database.decide(request.principal, () => {
        requireParent(folders, parent);
        return findFreePath(folders, parent, parseTitle(title, separator), separator, autorename);
      });
      if (!findFolder(folders, path)) await giveName(session, path, () => session.createMailbox(path));
      if (!subscribed) await session.subscribe(path, false);
      if (sharing && session.can('ACL')) await this.permissions.writeGrants(request, session, account, path, sharing);
      return toMailFolderId({ account: account.id, path });
    });
    const newcomers = sharing ? listNewEntities(sharing.permissions, [], request.principal) : [];
    await this.notices.notifyNewcomers(request, id, newcomers, creation.notice);
    return { id, lastModified: 0 };
  }

  /** Renames, moves, shares and subscribes. @throws as for creation, and FLD-0011, FLD-0021, FLD-0045 */
  async updateFolder(request: UserRequest, change: OwnedFolderChange): Promise<OwnedFolderWritten> {
    const folder = parseMailFolderKey(change.id);
    const { subscribed } = change;
    if (folder.path === '') throw FolderErrors.noAdminAccess(change.id);
    if (change.foreignParent || (change.parent !== undefined && typeof change.parent !== 'string'))
      throw FolderErrors.moduleNotAllowed(change.parent ?? '', 'mail');
    const sharing = await this.parseSharing(request, folder.account, change.permissions);
    const { path, account, separator, newcomers } = await this.mailboxes.useAccount(
      request,
      folder.account,
      {},
      async (session, account) => {
        const wanted = [
          folder.path,
          ...(change.parent === undefined ? [] : [parseMailFolder(change.parent as string).path]),
        ];
        const folders = await listFolders(session, account, { wanted });
        const place = await this.database.decide(request.principal, () =>
          planPlace(folders, folder, change, session.separator),
        );
        if (place.path !== folder.path) await moveTree(session, folders, folder.path, place);
        if (subscribed !== undefined) await session.subscribe(place.path, subscribed);
        const newcomers =
          sharing && change.notice ? await this.findNewcomers(request, session, account, place.path, sharing) : [];
        if (sharing)
          for (const each of change.cascade ? listTree(folders, folder.path, session.separator) : [folder.path])
            await this.permissions.writeGrants(
              request,
              session,
              account,
              place.path + each.slice(folder.path.length),
              sharing,
            );
        return { path: place.path, account: account.id, separator: session.separator, newcomers };
      },
    );
    if (path !== folder.path && folder.account === 0)
      await this.rules.followFolder(request, folder.path, path, separator);
    const id = toMailFolderId({ account, path });
    await this.notices.notifyNewcomers(request, id, newcomers, change.notice);
    return { id, lastModified: 0 };
  }

  /** Decides whom to tell of new rights: when the call is sent again, they have them already. */
  private async findNewcomers(
    request: UserRequest,
    session: ImapSession,
    account: MailboxAccess,
    path: string,
    { permissions }: Sharing,
  ): Promise<number[]> {
    const { principal: user } = request;
    const acl = (await this.permissions.readAcls(user, session, account, [path])).get(path);
    const before = acl ? await this.permissions.resolvePermissions(request, account, acl) : [];
    return this.database.decide(user, () => listNewEntities(permissions, before, user));
  }

  private async parseSharing(
    request: UserRequest,
    account: number,
    permissions: readonly OwnedPermission[] | undefined,
  ): Promise<Sharing | undefined> {
    if (!permissions) return undefined;
    const access = await this.mailboxes.getAccount(request, account);
    return { permissions, grants: await this.permissions.parseGrants(request, access, permissions) };
  }

  /** Deletes folders with everything in them: into the trash, and out of the trash for good. */
  async removeFolders(request: UserRequest, removal: OwnedFolderRemoval): Promise<OwnedFoldersDone> {
    const refused: RefusedFolder[] = [];
    const trashed: TrashedFolder[] = [];
    for (const id of removal.ids) {
      const folder = parseMailFolderKey(id);
      if (folder.path === '') {
        refused.push({ id, ...toRefusal(FolderErrors.notDeletable(id)) });
        continue;
      }
      await this.mailboxes.useAccount(request, folder.account, {}, async (session, account) => {
        const folders = await listFolders(session, account, { wanted: [folder.path] });
        const trash =
          removal.hardDelete || removal.check ? undefined : await ensureStandardFolder(session, account, 'trash');
        const plan = (): PlannedRemoval =>
          planRemoval(folders, { ...folder, account: account.id }, trash, session.separator);
        const { place, refused: reason } = removal.check ? plan() : await this.database.decide(request.principal, plan);
        if (reason) refused.push({ id, ...reason });
        if (reason || removal.check) return;
        if (!place) return deleteTree(session, folders, folder.path);
        await moveTree(session, folders, folder.path, place);
        trashed.push({ id, newId: toMailFolderId({ account: account.id, path: place.path }) });
      });
    }
    return { stamp: 0, refused, trashed };
  }
}

const toRefusal = ({ entry, params }: CatalogueError): Omit<RefusedFolder, 'id'> => ({ error: entry.key, params });

/** @throws FLD-0008, FLD-0011, FLD-0021, FLD-0045 and those of a name */
function planPlace(
  folders: readonly MailboxFolder[],
  folder: MailFolder,
  { id, title, parent: wanted, autorename = false }: OwnedFolderChange,
  separator: string,
): PlannedPlace {
  const own = findFolder(folders, folder.path);
  if (!own) throw FolderErrors.notFound(id);
  const steps = folder.path.split(separator);
  const name = steps.pop()!;
  const place = steps.join(separator);
  const parent = wanted === undefined ? { account: folder.account, path: place } : parseMailFolder(wanted as string);
  const newName = title === undefined || isShownTitle(own, title) ? name : parseTitle(title, separator);
  const subscribed = listSubscribed(folders, folder.path, separator);
  if (parent.path === place && newName === name && parent.account === folder.account)
    return { path: folder.path, subscribed };
  if (own.role) throw newName === name ? FolderErrors.defaultNotMoved() : FolderErrors.defaultNotRenamed();
  if (parent.account !== folder.account) throw FolderErrors.noSubfolderPermission(toMailFolderId(parent));
  requireParent(folders, parent);
  if (`${parent.path}${separator}`.startsWith(`${folder.path}${separator}`)) throw FolderErrors.belowItself();
  // Its own name is free for it, written in other letters.
  const others = folders.filter((each) => each !== own);
  return { path: findFreePath(others, parent, newName, separator, autorename), subscribed };
}

/** Answers refusals instead of throwing them: each folder of a call has its decision, in their order. */
function planRemoval(
  folders: readonly MailboxFolder[],
  folder: MailFolder,
  trash: string | undefined,
  separator: string,
): PlannedRemoval {
  const own = findFolder(folders, folder.path);
  if (!own) return { refused: toRefusal(FolderErrors.notFound(toMailFolderId(folder))) };
  if (own.role) return { refused: toRefusal(FolderErrors.defaultNotDeleted()) };
  if (trash === undefined || folder.path.startsWith(`${trash}${separator}`)) return {};
  const path = findFreePath(folders, { account: folder.account, path: trash }, own.listed.name, separator, true);
  return { place: { path, subscribed: listSubscribed(folders, folder.path, separator) } };
}

const findFolder = (folders: readonly MailboxFolder[], path: string): MailboxFolder | undefined =>
  folders.find(({ listed }) => listed.path === path);

/** Renames a mailbox, unless it was renamed before, with those below it: their subscriptions, which servers keep by name, follow. */
async function moveTree(
  session: ImapSession,
  folders: readonly MailboxFolder[],
  from: string,
  { path, subscribed }: PlannedPlace,
): Promise<void> {
  if (!findFolder(folders, path)) await giveName(session, path, () => session.renameMailbox(from, path));
  for (const end of subscribed) {
    await session.subscribe(`${path}${end}`, true);
    await session.subscribe(`${from}${end}`, false);
  }
}

/**
 * Gives a mailbox a name. Servers do not tell how long one may be (RFC 3501, section 5.1).
 * @throws FLD-0064 for a refused name that is longer than those of files
 */
async function giveName(session: ImapSession, path: string, change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    const mayBeTooLong = ['', 'CANNOT', 'SERVERBUG'].includes(findRefusal(error)?.code ?? 'none');
    const bytes = mayBeTooLong ? session.countNameBytes(path) : 0;
    if (bytes <= MAX_NAME_BYTES) throw error;
    throw FolderErrors.nameTooLong('title', MAX_NAME_BYTES, bytes).with({ cause: error });
  }
}

/** Ends of the full names of a mailbox and those below it that are subscribed. */
function listSubscribed(folders: readonly MailboxFolder[], path: string, separator: string): string[] {
  const tree = new Set(listTree(folders, path, separator));
  return folders.flatMap(({ listed }) =>
    listed.subscribed && tree.has(listed.path) ? [listed.path.slice(path.length)] : [],
  );
}

/** Deletes what is there of a mailbox and those below it, the lowest first. */
async function deleteTree(session: ImapSession, folders: readonly MailboxFolder[], path: string): Promise<void> {
  const paths = listTree(folders, path, session.separator);
  for (const each of paths.sort((a, b) => b.length - a.length)) await session.deleteMailbox(each);
}

/** Full names of a mailbox that is there and of those below it. */
function listTree(folders: readonly MailboxFolder[], path: string, separator: string): string[] {
  const prefix = `${path}${separator}`;
  return folders.flatMap(({ listed }) => (listed.path === path || listed.path.startsWith(prefix) ? [listed.path] : []));
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
  // Servers that keep mailboxes as files refuse slashes, whatever separates their names.
  // eslint-disable-next-line no-control-regex -- these are meant
  const bad = /[\u0000-\u001f\u007f-\u009f*%/]/.exec(title)?.[0] ?? (title.includes(separator) ? separator : undefined);
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
