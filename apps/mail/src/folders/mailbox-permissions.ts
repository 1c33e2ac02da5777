import {
  ALL_USERS,
  FolderErrors,
  type MailboxAccess,
  type OwnedPermission,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import {
  ALL_RIGHTS,
  hasSamePermissions,
  parseRightsLetters,
  requireValidPermissions,
  toRightsLetters,
} from '@groupware/folders';
import type { ImapSession } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MailLogins } from '../accounts/mail-logins';
import { toMailFolderId } from '../domain/mail-folder';
import { MailboxRights } from './mailbox-rights';

/** So long lists and users of logins are kept, ms: the server checks rights at each command, what is shown may be a little older. */
const LIFE_MS = 60_000;
/** Most lists, and most users, that are kept. */
const MAX_KEPT = 50_000;
/** Most folders whose lists are read for one answer, as servers tell them one by one. */
const MAX_ASKED = 500;
/** Identifiers of all users, and of all users with a session (RFC 4314, section 2). */
const [ANYONE, AUTHENTICATED] = ['anyone', 'authenticated'] as const;
/** The identifier of Dovecot for who has the mailbox. */
const OWNER = 'owner';

/** Rights on a folder as letters, by the identifiers of the mail server. */
export type MailboxAcl = ReadonlyMap<string, string>;

/** Permission lists of mail folders, of servers that show them to administrators of the folder (RFC 4314). */
@Injectable()
export class MailboxPermissions {
  /** By user, account and path. */
  private readonly acls = new LRUCache<string, MailboxAcl>({ max: MAX_KEPT, ttl: LIFE_MS });
  /** By context, server and login. */
  private readonly users = new LRUCache<string, { readonly userId?: number }>({ max: MAX_KEPT, ttl: LIFE_MS });

  constructor(
    private readonly logins: MailLogins,
    private readonly rights: MailboxRights,
  ) {}

  /** Reads the lists of folders that the user administrates; of many folders those of the first ones. */
  async readAcls(
    user: UserPrincipal,
    session: ImapSession,
    account: MailboxAccess,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, MailboxAcl>> {
    const found = new Map<string, MailboxAcl>();
    for (const path of paths.slice(0, MAX_ASKED)) {
      const key = keyOf(user, account, path);
      const acl = this.acls.get(key) ?? (await readAcl(session, account, path));
      if (!acl) continue;
      this.acls.set(key, acl);
      found.set(path, acl);
    }
    return found;
  }

  /** Rights of others than the user; identifiers that name no user, and negative rights, are left out. */
  async resolvePermissions(request: UserRequest, account: MailboxAccess, acl: MailboxAcl): Promise<OwnedPermission[]> {
    const letters = new Map<number, string>();
    for (const [name, granted] of acl) {
      const entity = await this.findEntity(request, account, name);
      if (entity !== undefined && entity !== request.principal.userId)
        letters.set(entity, (letters.get(entity) ?? '') + granted);
    }
    return [...letters].map(([entity, granted]) => ({
      entity,
      group: entity === ALL_USERS,
      bits: parseRightsLetters(granted),
    }));
  }

  /** Converts a permission list to rights of identifiers other than that of the user. @throws FLD-0044 for whom the mail server does not know */
  async parseGrants(
    request: UserRequest,
    account: MailboxAccess,
    permissions: readonly OwnedPermission[],
  ): Promise<MailboxAcl> {
    const grants = new Map<string, string>();
    for (const { entity, group, bits } of permissions) {
      if (!group && entity === request.principal.userId) continue;
      const name = group ? entity === ALL_USERS && ANYONE : await this.logins.findLogin(request, account, entity);
      if (!name) throw FolderErrors.unknownEntity(entity);
      grants.set(name, toRightsLetters(bits));
    }
    return grants;
  }

  /**
   * Writes a permission list: grants its rights, and revokes those of other users and of all users; identifiers that name none of them
   * keep theirs. The user's own rights stay, and those of who has the mailbox.
   * @throws FLD-0010 unless the server lets the user change them; FLD-0018, FLD-0061, FLD-0079, FLD-0080
   */
  async writeGrants(
    request: UserRequest,
    session: ImapSession,
    account: MailboxAccess,
    path: string,
    { permissions, grants }: { readonly permissions: readonly OwnedPermission[]; readonly grants: MailboxAcl },
  ): Promise<void> {
    const id = toMailFolderId({ account: account.id, path });
    const { principal: user } = request;
    const acl = await readAcl(session, account, path);
    if (!acl) {
      const bits = (await this.rights.findRights(user, session, account, [path])).get(path) ?? ALL_RIGHTS;
      if (hasSamePermissions(permissions, [{ entity: user.userId, group: false, bits }])) return;
      throw FolderErrors.noAdminAccess(id);
    }
    const owner = session.findOwner(path);
    const given = [...grants].filter(([name, letters]) => name !== owner && !hasSameRights(acl.get(name), letters));
    const taken: string[] = [];
    for (const name of acl.keys()) {
      const entity = grants.has(name) || name === owner ? undefined : await this.findEntity(request, account, name);
      if (entity !== undefined && entity !== user.userId) taken.push(name);
    }
    if (given.length + taken.length === 0) return;
    requireValidPermissions(permissions, { id, type: 2, owner: user.userId, isDefault: false });
    this.acls.delete(keyOf(user, account, path));
    for (const [name, letters] of given) await session.setAcl(path, name, letters);
    for (const name of taken) await session.deleteAcl(path, name);
  }

  private async findEntity(request: UserRequest, account: MailboxAccess, name: string): Promise<number | undefined> {
    return name === ANYONE || name === AUTHENTICATED ? ALL_USERS : this.findUser(request, account, name);
  }

  private async findUser(request: UserRequest, account: MailboxAccess, login: string): Promise<number | undefined> {
    const { server } = account;
    const key = `${request.principal.contextId}:${server?.host}:${server?.port}:${login}`;
    let found = this.users.get(key);
    if (!found) {
      const owner = await this.logins.findOwner(request, account, login);
      found = owner ? { userId: owner.userId } : {};
      this.users.set(key, found);
    }
    return found.userId;
  }
}

const keyOf = ({ contextId, userId }: UserPrincipal, { id }: MailboxAccess, path: string): string =>
  `${contextId}:${userId}:${id}:${path}`;

/** The list of a folder, with the login of who has the mailbox. */
async function readAcl(session: ImapSession, { login }: MailboxAccess, path: string): Promise<MailboxAcl | undefined> {
  const acl = await session.readAcl(path);
  const owner = session.findOwner(path) ?? login;
  return acl && new Map([...acl].map(([name, letters]) => [name === OWNER && owner ? owner : name, letters]));
}

const hasSameRights = (one: string | undefined, other: string): boolean =>
  one !== undefined && parseRightsLetters(one) === parseRightsLetters(other);
