import {
  FolderErrors,
  SYSTEM_FOLDERS,
  type FolderKey,
  type MailboxAccess,
  type OwnedFolder,
  type OwnedPermission,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { ADMIN_BIT, ALL_RIGHTS, RANK, toBits } from '@groupware/folders';
import type { ImapSession } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import type { ListResponse } from 'imapflow';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { type MailboxAcl, MailboxPermissions } from './mailbox-permissions';
import { MailboxRights } from './mailbox-rights';
import { findStandardFolder, STANDARD_ROLES, type StandardRole } from './standard-folders';

/** Numbers of standard folders in `standard_folder_type`. */
const STANDARD_TYPES: Readonly<Record<StandardRole | 'inbox', number | undefined>> = {
  inbox: 7,
  drafts: 9,
  sent: 10,
  spam: 11,
  trash: 12,
  archive: undefined,
};
/** Clients see the root of an account as a system folder. */
const SYSTEM_TYPE = 5;
/** Rights on folders that hold none but other folders. */
const ONLY_FOLDERS = toBits({ folder: RANK.createSubfolders, read: 0, write: 0, remove: 0, admin: false });
/** Most folders of one account that are shown. */
const MAX_FOLDERS = 20_000;

/** A folder of an account with what the server lists of it. */
export interface MailboxFolder {
  readonly listed: ListResponse;
  readonly role?: StandardRole | 'inbox';
}

/** Options of a listing. */
interface FolderListing {
  /** Numbers of mails. */
  readonly counts?: boolean;
  /** Paths that are wanted: those that were shared a moment ago may be in no list yet. */
  readonly wanted?: readonly string[];
}

/** Further parts of folders that a listing reads on request. */
export interface FolderDetails extends FolderListing {
  /** Folders of which to tell who else has rights. */
  readonly permissions?: (folder: OwnedFolder) => boolean;
}

/** The key of a mail folder. @throws FLD-0008 for other ids */
export function parseMailFolderKey(key: FolderKey): MailFolder {
  if (typeof key !== 'string' || !/^default\d/.test(key)) throw FolderErrors.notFound(key);
  return parseMailFolder(key);
}

/** Folders of the mailboxes of a user as part of the folder tree. */
@Injectable()
export class MailboxFolders {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly rights: MailboxRights,
    private readonly permissions: MailboxPermissions,
  ) {}

  /** Roots of all accounts: no server is asked for them. */
  async listRoots(request: UserRequest): Promise<OwnedFolder[]> {
    const accounts = await this.mailboxes.listAccounts(request);
    return accounts.map((account) => toRoot(account, request.principal));
  }

  /** The root of an account and all folders below it. */
  async listAccountFolders(
    request: UserRequest,
    id: number,
    { permissions, ...listing }: FolderDetails = {},
  ): Promise<OwnedFolder[]> {
    const { account, folders, acls } = await this.mailboxes.useAccount(
      request,
      id,
      { repeatable: true },
      async (session, account) => {
        const listed = await listFolders(session, account, listing);
        const rights = await this.rights.findRights(request.principal, session, account, listed.map(pathOf));
        const folders = listed.map((folder) =>
          toOwnedFolder(folder, account, session, request.principal, rights.get(pathOf(folder))),
        );
        const administrated = folders.filter((folder) => permissions?.(folder) && folder.ownRights >= ADMIN_BIT);
        const paths = administrated.map((folder) => parseMailFolderKey(folder.id).path);
        return { account, folders, acls: await this.permissions.readAcls(request.principal, session, account, paths) };
      },
    );
    return [
      toRoot(account, request.principal),
      ...(await Promise.all(folders.map((folder) => this.addPermissions(request, account, folder, acls)))),
    ];
  }

  private async addPermissions(
    request: UserRequest,
    account: MailboxAccess,
    folder: OwnedFolder,
    acls: ReadonlyMap<string, MailboxAcl>,
  ): Promise<OwnedFolder> {
    const acl = acls.get(parseMailFolderKey(folder.id).path);
    if (!acl) return folder;
    const others: OwnedPermission[] = await this.permissions.resolvePermissions(request, account, acl);
    return { ...folder, permissions: [...folder.permissions, ...others] };
  }

  /** One folder. @throws FLD-0008 */
  async getFolder(request: UserRequest, key: FolderKey, details: FolderDetails = {}): Promise<OwnedFolder> {
    const folder = parseMailFolderKey(key);
    const id = toMailFolderId(folder);
    const accounts = await this.mailboxes.listAccounts(request);
    if (!accounts.some((account) => account.id === folder.account)) throw FolderErrors.notFound(id);
    const found =
      folder.path === ''
        ? (await this.listRoots(request)).find((root) => root.id === id)
        : (await this.listAccountFolders(request, folder.account, { ...details, wanted: [folder.path] })).find(
            (each) => each.id === id,
          );
    if (!found) throw FolderErrors.notFound(id);
    return found;
  }
}

/** Folders of the account of a session with their roles. */
export async function listFolders(
  session: ImapSession,
  account: MailboxAccess,
  { counts = false, wanted }: FolderListing = {},
): Promise<MailboxFolder[]> {
  const listed = (await session.listMailboxes(counts, wanted)).slice(0, MAX_FOLDERS);
  const roles = new Map<string, StandardRole | 'inbox'>([['INBOX', 'inbox']]);
  for (const role of STANDARD_ROLES) {
    const path = findStandardFolder(listed, account, role)?.path;
    if (path !== undefined && !roles.has(path)) roles.set(path, role);
  }
  return listed
    .filter(({ flags }) => !flags.has('\\NonExistent'))
    .map((each) => {
      const role = roles.get(each.path);
      return { listed: each, ...(role ? { role } : {}) };
    });
}

const pathOf = ({ listed }: MailboxFolder): string => listed.path;

function toRoot(account: MailboxAccess, user: UserPrincipal): OwnedFolder {
  return {
    ...toCommon(user, ONLY_FOLDERS),
    id: toMailFolderId({ account: account.id, path: '' }),
    parent: SYSTEM_FOLDERS.private,
    shownType: SYSTEM_TYPE,
    title: account.name,
    isDefault: false,
    subscribed: true,
    hasSubfolders: true,
    hasSubscribedSubfolders: true,
  };
}

function toOwnedFolder(
  { listed, role }: MailboxFolder,
  account: MailboxAccess,
  session: ImapSession,
  user: UserPrincipal,
  rights = ALL_RIGHTS,
): OwnedFolder {
  const parent = listed.parent.join(listed.delimiter);
  const isSelectable = !listed.flags.has('\\Noselect');
  const { messages, unseen, recent } = listed.status ?? {};
  const standardType = role && STANDARD_TYPES[role];
  return {
    ...toCommon(user, isSelectable ? rights : ONLY_FOLDERS),
    id: toMailFolderId({ account: account.id, path: listed.path }),
    parent: toMailFolderId({ account: account.id, path: parent }),
    title: role === 'inbox' ? 'Inbox' : listed.name,
    isDefault: standardType !== undefined,
    ...(standardType === undefined ? {} : { standardType }),
    subscribed: listed.subscribed || role === 'inbox',
    ...(isSelectable && messages !== undefined
      ? { counts: { total: messages, unread: unseen ?? 0, new: recent ?? 0 } }
      : {}),
    capabilities: [
      ...(session.can('ACL') ? ['permissions'] : []),
      ...(session.can('THREAD=REFS') || session.can('THREAD=REFERENCES') ? ['thread_references'] : []),
      ...(session.can('QUOTA') ? ['quota'] : []),
      ...(session.can('SORT') ? ['sort'] : []),
      'subscription',
    ],
  };
}

const toCommon = ({ userId }: UserPrincipal, rights: number) =>
  ({
    module: 'mail',
    type: 1,
    createdBy: userId,
    modifiedBy: userId,
    created: 0,
    lastModified: 0,
    changed: 0,
    ownRights: rights,
    permissions: [{ entity: userId, group: false, bits: rights }],
  }) as const;
