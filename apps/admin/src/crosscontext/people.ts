import { Injectable } from '@nestjs/common';
import {
  CrossContextErrors,
  directory,
  TRUST_ZONES,
  type DirectoryEntity,
  type DirectoryUser,
  type Tenant,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import { zonesOf } from './domain/purge';

/** The group of all users: every context has it. */
const EVERYBODY = 0;

/** Users of contexts and the zones in which they are trusted, asked from the identity service. */
@Injectable()
export class People {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {}

  /** Users and groups by id; unknown ones are left out. */
  async entities({ contextId }: Tenant, ids: readonly number[]): Promise<DirectoryEntity[]> {
    return this.caller.call(directory.entities, { principal: asAdmin(contextId), query: { ids: [...ids] } });
  }

  /** A user, or undefined. */
  async find(tenant: Tenant, id: number): Promise<DirectoryUser | undefined> {
    const found = await this.entities(tenant, [id]);
    return found.find((entity): entity is DirectoryUser => entity.kind === 'user' && entity.id === id);
  }

  /** A user. @throws XCTX-0002 */
  async user(tenant: Tenant, id: number): Promise<DirectoryUser> {
    const user = await this.find(tenant, id);
    if (!user) throw CrossContextErrors.userNotFound(id, tenant.contextId);
    return user;
  }

  /** Refuses an unknown context. @throws XCTX-0001 */
  async expectContext(tenant: Tenant): Promise<void> {
    const found = await this.entities(tenant, [EVERYBODY]);
    if (found.length === 0) throw CrossContextErrors.contextNotFound(tenant.contextId);
  }

  /** The zones of a user. */
  async zones({ contextId }: Tenant, userId: number): Promise<string[]> {
    return zonesOf(await this.properties.get(TRUST_ZONES, { contextId, userId }));
  }

  /** The zones of many users of one context, asked at once. */
  async zonesOfMany({ contextId }: Tenant, ids: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
    if (ids.length === 0) return new Map();
    const own = await this.caller.call(directory.propertyOfUsers, {
      principal: asAdmin(contextId),
      query: { key: TRUST_ZONES.key, ids: [...ids] },
    });
    const common = this.properties.serverValue(TRUST_ZONES);
    return new Map(ids.map((id) => [id, zonesOf(own[String(id)] ?? common)]));
  }
}

const asAdmin = (contextId: number) => ({ kind: 'internal', service: 'admin', contextId }) as const;
