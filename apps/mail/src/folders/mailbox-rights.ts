import type { MailboxAccess, UserPrincipal } from '@groupware/contracts';
import { ALL_RIGHTS, parseRightsLetters, VIEWER_RIGHTS } from '@groupware/folders';
import type { ImapSession } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** So long rights are kept, ms: the server checks them at each command, what is shown may be a little older. */
const LIFE_MS = 60_000;
/** Most rights that are kept. */
const MAX_KEPT = 50_000;
/** Most folders whose rights are asked for one by one for one list. */
const MAX_ASKED = 100;

/** Rights of users on folders of mail servers that have such rights. */
@Injectable()
export class MailboxRights {
  /** By user, account and path. */
  private readonly kept = new LRUCache<string, number>({ max: MAX_KEPT, ttl: LIFE_MS });

  /**
   * Rights on folders, by path. Of servers that tell them one by one only, those of the first folders are asked for, of others'
   * folders before own ones: own folders are taken for the user's then, those of others for ones to read.
   */
  async findRights(
    { contextId, userId }: UserPrincipal,
    session: ImapSession,
    { id }: MailboxAccess,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    if (!session.can('ACL')) return new Map();
    const keyOf = (path: string) => `${contextId}:${userId}:${id}:${path}`;
    const foreign = new Set(paths.filter((path) => session.isForeign(path)));
    const unknown = paths.filter((path) => !this.kept.has(keyOf(path)));
    const ordered = [...unknown.filter((path) => foreign.has(path)), ...unknown.filter((path) => !foreign.has(path))];
    const asked = ordered.slice(0, MAX_ASKED);
    const told = await session.readRights(asked);
    for (const [path, letters] of told) this.kept.set(keyOf(path), parseRightsLetters(letters));
    return new Map(
      paths.map((path) => [path, this.kept.get(keyOf(path)) ?? (foreign.has(path) ? VIEWER_RIGHTS : ALL_RIGHTS)]),
    );
  }
}
