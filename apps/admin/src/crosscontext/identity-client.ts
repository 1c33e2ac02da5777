import { Injectable } from '@nestjs/common';
import {
  ALL_USERS,
  CrossContextErrors,
  directory,
  sessionAdministration,
  TRUST_ZONES,
  type DirectoryContact,
  type DirectoryEntity,
  type DirectoryUser,
  type Tenant,
} from '@groupware/contracts';
import { listContacts } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import { parseZones } from './domain/trust-zones';

/** Most addresses of one question to the resolver. */
const MAX_ADDRESSES = 500;

/** Asks the identity service for users of contexts and their trust zones. */
@Injectable()
export class IdentityClient {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {}

  /** Users and groups by id; unknown ones are left out. */
  async listEntities({ contextId }: Tenant, ids: readonly number[]): Promise<DirectoryEntity[]> {
    return this.caller.call(directory.entities, { principal: toServicePrincipal(contextId), query: { ids: [...ids] } });
  }

  /** Looks contact data of users up, by id. */
  listContacts(tenant: Tenant, ids: readonly number[]): Promise<ReadonlyMap<number, DirectoryContact>> {
    return listContacts(this.caller, 'admin', tenant, ids);
  }

  /** A user, or undefined. */
  async findUser(tenant: Tenant, id: number): Promise<DirectoryUser | undefined> {
    const found = await this.listEntities(tenant, [id]);
    return found.find((entity): entity is DirectoryUser => entity.kind === 'user' && entity.id === id);
  }

  /** A user. @throws XCTX-0002 */
  async requireUser(tenant: Tenant, id: number): Promise<DirectoryUser> {
    const user = await this.findUser(tenant, id);
    if (!user) throw CrossContextErrors.userNotFound(id, tenant.contextId);
    return user;
  }

  /** Refuses an unknown context. @throws XCTX-0001 */
  async requireContext(tenant: Tenant): Promise<void> {
    const found = await this.listEntities(tenant, [ALL_USERS]);
    if (found.length === 0) throw CrossContextErrors.contextNotFound(tenant.contextId);
  }

  /** The users of other contexts that guests are, by the id of the guest. */
  async listUsersElsewhere(tenant: Tenant, entities: readonly DirectoryEntity[]) {
    const addresses = new Map(
      entities.flatMap((entity) =>
        entity.kind === 'guest' && entity.email && !entity.email.includes(';') ? [[entity.id, entity.email]] : [],
      ),
    );
    const found = new Map<number, { contextId: number; userId: number }>();
    const asked = [...addresses];
    for (let at = 0; at < asked.length; at += MAX_ADDRESSES) {
      const some = asked.slice(at, at + MAX_ADDRESSES);
      const users = await this.caller.call(sessionAdministration.resolveMail, {
        principal: { kind: 'internal', service: 'admin', contextId: 0 },
        query: { mail: some.map(([, address]) => address).join(';') },
      });
      for (const [id, address] of some) {
        const user = users[address];
        if (user && user.cid !== tenant.contextId) found.set(id, { contextId: user.cid, userId: user.uid });
      }
    }
    return found;
  }

  /** The zones of a user. */
  async listZones({ contextId }: Tenant, userId: number): Promise<string[]> {
    return parseZones(await this.properties.get(TRUST_ZONES, { contextId, userId }));
  }

  /** Lists the zones of many users of one context with one call. */
  async listZonesOfUsers({ contextId }: Tenant, ids: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
    if (ids.length === 0) return new Map();
    const own = await this.caller.call(directory.propertyOfUsers, {
      principal: toServicePrincipal(contextId),
      query: { key: TRUST_ZONES.key, ids: [...ids] },
    });
    const common = this.properties.serverValue(TRUST_ZONES);
    return new Map(ids.map((id) => [id, parseZones(own[String(id)] ?? common)]));
  }
}

const toServicePrincipal = (contextId: number) => ({ kind: 'internal', service: 'admin', contextId }) as const;
