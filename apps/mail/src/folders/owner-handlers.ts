import {
  CatalogueError,
  FOLDER_RIGHTS,
  FolderErrors,
  LOWEST_FOLDER_ID,
  MailErrors,
  mailFolders,
  recordCheck,
  reply,
  SYSTEM_FOLDERS,
  waiveCheck,
  type CallOf,
  type FolderKey,
  type FolderOwner,
  type Handler,
  type LostFolder,
  type OwnedFolder,
  type OwnedFolderListing,
  type OwnedFoldersDone,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { canUseModule, requireActingUser, requireModuleUser } from '@groupware/folders';
import { Clock, Handles, Logger } from '@groupware/service-kit';
import type { Type } from '@nestjs/common';
import { parseMailFolder, PRIMARY_ACCOUNT, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { FolderEmptying } from './folder-emptying';
import { FolderNotices } from './folder-notices';
import { MailboxFolderEditor } from './mailbox-folder-editor';
import { type FolderDetails, MailboxFolders, parseMailFolderKey } from './mailbox-folders';

type OwnerCall = Pick<CallOf<FolderOwner['visible']>, 'principal' | 'deadline' | 'requestId' | 'signal'>;

const log = Logger.for('mail.folders');
/** Share of the time of a call that one mailbox may take. */
const SHARE_OF_TIME = 0.9;

const toRequest = ({ deadline, requestId, signal }: OwnerCall, principal: UserPrincipal): UserRequest => ({
  principal,
  deadline,
  requestId,
  signal,
});

/** Mailboxes belong to the user alone: who may use the module sees and administrates all of them. */
function requireOwner(call: OwnerCall): UserRequest {
  const user = requireModuleUser(call.principal, 'mail');
  for (const right of [
    FOLDER_RIGHTS.see,
    FOLDER_RIGHTS.createInside,
    FOLDER_RIGHTS.administer,
    FOLDER_RIGHTS.removeObjects,
  ])
    recordCheck(right);
  return toRequest(call, user);
}

/** The root of the primary account, which the flat tree does not show: its folders stand directly below the private ones. */
const PRIMARY_ROOT = toMailFolderId({ account: PRIMARY_ACCOUNT, path: '' });

/** The folder below which a part of the tree lists, as mailboxes name it. */
const parentOf = ({ below, flat }: Pick<OwnedFolderListing, 'below' | 'flat'>): FolderKey | undefined =>
  flat && Number(below) === SYSTEM_FOLDERS.private ? PRIMARY_ROOT : below;

/** Folders of mailboxes that a part of the tree names. */
function listNamed(part: OwnedFolderListing): MailFolder[] {
  const below = parentOf(part);
  const keys: readonly FolderKey[] = below === undefined ? (part.ids ?? part.paths ?? []) : [below];
  return keys.flatMap((key) => (typeof key === 'string' && /^default\d/.test(key) ? [parseMailFolder(key)] : []));
}

/** Accounts whose folders a part of the tree needs; `roots`: no more than the roots of accounts, for which no server is asked. */
function findAccounts(part: OwnedFolderListing): ReadonlySet<number> | 'none' | 'roots' | 'all' {
  const { below, paths, ids, since, shared } = part;
  if (since !== undefined) return 'none';
  if (shared) return new Set([PRIMARY_ACCOUNT]);
  if ((below ?? ids ?? paths) === undefined) return 'all';
  const named = listNamed(part);
  const inside = below === undefined ? named.filter(({ path }) => path !== '') : named;
  if (inside.length > 0) return new Set(inside.map(({ account }) => account));
  if (named.length > 0) return 'roots';
  const isTop = below !== undefined && Number(below) < LOWEST_FOLDER_ID;
  return isTop && [SYSTEM_FOLDERS.root, SYSTEM_FOLDERS.private].includes(Number(below) as 0 | 1) ? 'roots' : 'none';
}

/** Details of the folders that a part of the tree is of: those above them come along. */
function toDetails({ counts = false, permissions, shared, ids, paths, ...part }: OwnedFolderListing): FolderDetails {
  if (shared) return { counts, permissions: () => true };
  if (!permissions) return { counts };
  const keys = ids ?? paths;
  if (keys) return { counts, permissions: ({ id }) => keys.includes(id) };
  const below = parentOf(part);
  return { counts, permissions: ({ parent }) => below === undefined || parent === below };
}

@Handles(mailFolders.visible)
class VisibleHandler implements Handler<FolderOwner['visible']> {
  constructor(
    private readonly folders: MailboxFolders,
    private readonly clock: Clock,
  ) {}

  async handle(call: CallOf<FolderOwner['visible']>) {
    const { parts } = call.query;
    const user = requireActingUser(call.principal);
    waiveCheck(FOLDER_RIGHTS.see, 'folders of the own mailboxes only');
    const isUsable = canUseModule(user, 'mail');
    const wanted = parts.map((part) => (isUsable ? findAccounts(part) : 'none'));
    const request = toRequest(call, user);
    const roots = wanted.every((accounts) => accounts === 'none') ? [] : await this.folders.listRoots(request);
    const lists = await Promise.all(
      wanted.map((accounts, index) => this.listPart(request, roots, accounts, parts[index]!)),
    );
    return reply<OwnedFolder[][]>(lists, {});
  }

  private async listPart(
    request: UserRequest,
    roots: readonly OwnedFolder[],
    accounts: ReturnType<typeof findAccounts>,
    part: OwnedFolderListing,
  ): Promise<OwnedFolder[]> {
    if (accounts === 'none') return [];
    if (accounts === 'roots') return [...roots];
    return (await Promise.all(roots.map((root) => this.listAccount(request, root, accounts, part)))).flat();
  }

  /** Folders of one account; of one that is down only the root, except for the one that was asked for. */
  private async listAccount(
    request: UserRequest,
    root: OwnedFolder,
    accounts: ReadonlySet<number> | 'all',
    part: OwnedFolderListing,
  ): Promise<OwnedFolder[]> {
    const { account } = parseMailFolderKey(root.id);
    if (accounts !== 'all' && !accounts.has(account)) return [root];
    const wanted = listNamed(part).flatMap((folder) => (folder.account === account ? [folder.path] : []));
    try {
      const listed = this.folders.listAccountFolders(request, account, { ...toDetails(part), wanted });
      return await this.inTime(request, root, listed);
    } catch (error) {
      if (!(error instanceof CatalogueError) || accounts !== 'all') throw error;
      log.info({ account, code: error.code }, 'a mailbox is left out of the folder tree');
      return [root];
    }
  }

  /**
   * Waits for a mailbox as long as the others can still be told: a server that says nothing would take them with it. The attempt
   * goes on, so that the next call knows how it ended.
   * @throws MSG-1034
   */
  private async inTime<T>({ deadline }: UserRequest, { title }: OwnedFolder, listed: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const waitMs = SHARE_OF_TIME * (deadline - this.clock.now());
      timer = setTimeout(() => reject(MailErrors.timedOut(title)), waitMs);
    });
    try {
      return await Promise.race([listed, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

@Handles(mailFolders.get)
class GetHandler implements Handler<FolderOwner['get']> {
  constructor(private readonly folders: MailboxFolders) {}

  handle(call: CallOf<FolderOwner['get']>): Promise<OwnedFolder> {
    return this.folders.getFolder(requireOwner(call), call.query.id, { counts: call.query.counts ?? false });
  }
}

@Handles(mailFolders.create)
class CreateHandler implements Handler<FolderOwner['create']> {
  constructor(private readonly editor: MailboxFolderEditor) {}

  handle(call: CallOf<FolderOwner['create']>) {
    return this.editor.createFolder(requireOwner(call), call.query);
  }
}

/** Folders of mailboxes have names instead of numbers. */
@Handles(mailFolders.reserve)
class ReserveHandler implements Handler<FolderOwner['reserve']> {
  async handle(call: CallOf<FolderOwner['reserve']>): Promise<number> {
    canUseModule(requireActingUser(call.principal), 'mail');
    return 0;
  }
}

@Handles(mailFolders.update)
class UpdateHandler implements Handler<FolderOwner['update']> {
  constructor(private readonly editor: MailboxFolderEditor) {}

  handle(call: CallOf<FolderOwner['update']>) {
    return this.editor.updateFolder(requireOwner(call), call.query);
  }
}

@Handles(mailFolders.remove)
class RemoveHandler implements Handler<FolderOwner['remove']> {
  constructor(private readonly editor: MailboxFolderEditor) {}

  handle(call: CallOf<FolderOwner['remove']>) {
    return this.editor.removeFolders(requireOwner(call), call.query);
  }
}

@Handles(mailFolders.clear)
class ClearHandler implements Handler<FolderOwner['clear']> {
  constructor(private readonly emptying: FolderEmptying) {}

  async handle(call: CallOf<FolderOwner['clear']>): Promise<OwnedFoldersDone> {
    const request = requireOwner(call);
    const refused: OwnedFoldersDone['refused'][number][] = [];
    for (const id of call.query.ids)
      try {
        await this.emptying.emptyFolder(request, parseMailFolderKey(id), false);
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        refused.push({ id, error: error.entry.key, params: error.params });
      }
    return { stamp: 0, refused };
  }
}

/** Mail servers do not tell where a folder was before it went to the trash. */
@Handles(mailFolders.restore)
class RestoreHandler implements Handler<FolderOwner['restore']> {
  async handle(call: CallOf<FolderOwner['restore']>): Promise<OwnedFoldersDone> {
    requireOwner(call);
    const refused = call.query.ids.map((id) => {
      const { entry, params } = FolderErrors.notInTrash(id);
      return { id, error: entry.key, params };
    });
    return { stamp: 0, refused };
  }
}

/** Mail servers keep no log of changes. */
@Handles(mailFolders.lost)
class LostHandler implements Handler<FolderOwner['lost']> {
  async handle(call: CallOf<FolderOwner['lost']>): Promise<LostFolder[]> {
    canUseModule(requireActingUser(call.principal), 'mail');
    return [];
  }
}

@Handles(mailFolders.notify)
class NotifyHandler implements Handler<FolderOwner['notify']> {
  constructor(private readonly notices: FolderNotices) {}

  handle(call: CallOf<FolderOwner['notify']>): Promise<number[]> {
    return this.notices.notifyEntities(requireOwner(call), call.query);
  }
}

@Handles(mailFolders.limits)
class LimitsHandler implements Handler<FolderOwner['limits']> {
  async handle(call: CallOf<FolderOwner['limits']>): Promise<never[]> {
    requireOwner(call);
    return [];
  }
}

@Handles(mailFolders.rights)
class RightsHandler implements Handler<FolderOwner['rights']> {
  async handle(call: CallOf<FolderOwner['rights']>): Promise<never[]> {
    canUseModule(requireActingUser(call.principal), 'mail');
    return [];
  }
}

@Handles(mailFolders.granted)
class GrantedHandler implements Handler<FolderOwner['granted']> {
  async handle(): Promise<never[]> {
    return [];
  }
}

@Handles(mailFolders.sharing)
class SharingHandler implements Handler<FolderOwner['sharing']> {
  async handle(): Promise<null> {
    return null;
  }
}

@Handles(mailFolders.retract)
class RetractHandler implements Handler<FolderOwner['retract']> {
  async handle(): Promise<boolean> {
    return false;
  }
}

/** Standard folders of mailboxes are made when they are first needed. */
@Handles(mailFolders.prepare)
class PrepareHandler implements Handler<FolderOwner['prepare']> {
  async handle(): Promise<number> {
    return 0;
  }
}

/** Handlers of the folder contract. */
export const mailFolderHandlers: readonly Type[] = [
  VisibleHandler,
  GetHandler,
  CreateHandler,
  ReserveHandler,
  UpdateHandler,
  RemoveHandler,
  ClearHandler,
  RestoreHandler,
  LostHandler,
  NotifyHandler,
  LimitsHandler,
  RightsHandler,
  GrantedHandler,
  SharingHandler,
  RetractHandler,
  PrepareHandler,
];
