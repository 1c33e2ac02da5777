import { Injectable } from '@nestjs/common';
import {
  ALL_USERS,
  ALL_GUESTS,
  InfostoreErrors,
  MAX_PERMISSION_ENTITIES,
  type DocumentPermission,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { OBJECT_BITS, type StoredPermission } from '../domain/document';
import { DocumentRepository } from '../persistence/document.repository';

/** Reads the permissions of a body. Asks the directory: use it before a transaction. */
@Injectable()
export class PermissionInput {
  constructor(
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * The permissions of a body; undefined when it does not say.
   * @param id the document that has some already
   * @throws IFO-2100, IFO-2104, IFO-2107, IFO-2108
   */
  async readPermissions(
    user: UserPrincipal,
    given: readonly DocumentPermission[] | null | undefined,
    id?: number,
  ): Promise<StoredPermission[] | undefined> {
    if (given === undefined) return undefined;
    const listed = (given ?? []).map((entry) => toStored(entry, user.userId)).filter(({ bits }) => bits > 0);
    const entries = [...new Map(listed.map((entry) => [`${entry.group} ${entry.entity}`, entry])).values()];
    const most = await this.properties.get(MAX_PERMISSION_ENTITIES, { contextId: user.contextId });
    if (most >= 0 && entries.length > most) throw InfostoreErrors.tooManyPermissions(most);
    const named = entries.filter(({ group, entity }) => !(group && entity === ALL_USERS));
    const found =
      named.length === 0
        ? new Map<number, never>()
        : await this.directory.getEntities(
            user,
            named.map(({ entity }) => entity),
          );
    const guests = named.flatMap(({ entity, group }) => {
      const known = group ? undefined : found.get(entity);
      return known?.kind === 'guest' ? [known] : [];
    });
    const staying = guests.length > 0 ? await this.listEntities(user, id) : new Set<number>();
    for (const { entity, group, bits } of named) {
      const known = found.get(entity);
      if (known?.kind === 'guest' && !group) {
        if (known.anonymous && bits !== OBJECT_BITS.read) throw InfostoreErrors.badPermission(bits, entity);
        // The guest of a link has rights on what it leads to, and others those that who invited them gives.
        const isOwn = known.anonymous
          ? known.target?.module === 'infostore' && known.target.item === id
          : known.createdBy === user.userId;
        if (!isOwn && !staying.has(entity)) throw InfostoreErrors.invalid(`unknown entity ${entity}`);
      } else if (known?.kind !== (group ? 'group' : 'user')) throw InfostoreErrors.invalid(`unknown entity ${entity}`);
    }
    return entries.filter(({ entity, group }) => group || entity !== user.userId);
  }

  /** Users and guests with whom a document is shared by itself. */
  private async listEntities(user: UserPrincipal, id: number | undefined): Promise<ReadonlySet<number>> {
    if (id === undefined) return new Set();
    const [document] = await this.database.read(user, (db) => this.documents.listByIds(db, [id]));
    return new Set(document?.permissions.flatMap(({ entity, group }) => (group ? [] : [entity])));
  }
}

function toStored(given: DocumentPermission, by: number): StoredPermission {
  const { entity } = given;
  // Clients write null for what they leave out.
  const [group, bits] = [given.group ?? false, given.bits ?? OBJECT_BITS.read];
  if (entity == null) throw InfostoreErrors.invalid('a permission names no entity');
  if (group && entity === ALL_GUESTS) throw InfostoreErrors.guestGroup();
  if (bits > OBJECT_BITS.write) throw InfostoreErrors.badPermission(bits, entity);
  return { entity, group, bits, createdBy: by };
}
