import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  InfostoreErrors,
  MAX_PERMISSION_ENTITIES,
  type DocumentPermission,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Properties } from '@groupware/service-kit';
import { OBJECT_BITS, type StoredPermission } from '../domain/document';

/** Group of all users, which the directory does not list. */
const ALL_USERS = 0;

/** Reads the permissions of a body. Asks the directory: use it before a transaction. */
@Injectable()
export class PermissionInput {
  constructor(
    private readonly directory: Directory,
    private readonly properties: Properties,
  ) {}

  /** The permissions of a body; undefined when it does not say. @throws IFO-2100, IFO-2104, IFO-2107, IFO-2108 */
  async readPermissions(
    user: UserPrincipal,
    given: readonly DocumentPermission[] | null | undefined,
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
    for (const { entity, group } of named) {
      const kind = found.get(entity)?.kind;
      if (group ? kind !== 'group' : kind !== 'user' && kind !== 'guest')
        throw InfostoreErrors.invalid(`unknown entity ${entity}`);
    }
    return entries.filter(({ entity, group }) => group || entity !== user.userId);
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
