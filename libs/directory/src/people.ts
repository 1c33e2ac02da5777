import type { DirectoryEntity, Tenant } from '@groupware/contracts';
import type { Directory } from './directory';

/** Kinds of participants, as the API numbers them. */
const PARTICIPANT = { group: 2, external: 5, externalGroup: 6 } as const;

/** A participant as a client names it. */
export interface NamedParticipant {
  readonly type: number;
  readonly id?: number;
  readonly mail?: string;
}

/** Entities of the directory by id and by lower-case address. */
export interface People {
  readonly entities: ReadonlyMap<number, DirectoryEntity>;
  readonly byAddress: ReadonlyMap<string, DirectoryEntity>;
}

/**
 * Loads all entities of a list of participants, members of groups included, and further users. Asks other services: use it
 * before a transaction.
 */
export async function loadPeople(
  directory: Directory,
  tenant: Tenant,
  participants: readonly NamedParticipant[],
  users: readonly number[],
): Promise<People> {
  const addresses = participants
    .filter(({ type, mail }) => (type === PARTICIPANT.external || type === PARTICIPANT.externalGroup) && mail)
    .map(({ mail }) => mail!.trim());
  const ids = participants.flatMap(({ type, id }) =>
    type !== PARTICIPANT.external && type !== PARTICIPANT.group && typeof id === 'number' ? [id] : [],
  );
  // Members of groups as they are now, not as they are cached.
  const groups = participants.flatMap(({ type, id }) => (type === PARTICIPANT.group && id ? [id] : []));
  const [people, invited, byAddress] = await Promise.all([
    directory.getEntities(tenant, [...ids, ...users]),
    directory.refreshEntities(tenant, [...new Set(groups)]),
    directory.findByAddresses(tenant, addresses),
  ]);
  const named = new Map([...people, ...invited]);
  const members = [...named.values()].flatMap((entity) => (entity.kind === 'group' ? entity.members : []));
  const missing = members.filter((id) => !named.has(id));
  const entities = new Map<number, DirectoryEntity>(named);
  if (missing.length > 0)
    for (const [id, entity] of await directory.getEntities(tenant, missing)) entities.set(id, entity);
  for (const entity of byAddress.values()) entities.set(entity.id, entity);
  return { entities, byAddress };
}
