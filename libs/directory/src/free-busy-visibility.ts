import {
  FREE_BUSY_RIGHTS,
  recordCheck,
  directory,
  FREE_BUSY_VISIBILITY,
  parseProperty,
  type Property,
  type Tenant,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import type { FactoryProvider } from '@nestjs/common';

/**
 * Visibility of busy times: the single rule for all interfaces, whether they show times, conflicts or a published page.
 * It queries the identity service once, whatever the number of users.
 */
export class FreeBusyVisibility {
  constructor(
    private readonly caller: Pick<Caller, 'call'>,
    private readonly properties: Pick<Properties, 'serverValue'>,
    private readonly service: string,
  ) {}

  /**
   * Lists the users among `ids` whose times are hidden; ids that are no users of the tenant (any more) are included.
   * @param asker the requesting user of the same context; absent for cooperating services and the internet
   */
  async listHiddenUsers(tenant: Tenant, ids: Iterable<number>, asker?: number): Promise<ReadonlySet<number>> {
    recordCheck(FREE_BUSY_RIGHTS.see);
    const others = [...new Set(ids)].filter((id) => id !== asker);
    const values = await this.readValues(tenant, others, FREE_BUSY_VISIBILITY);
    // Hidden times stay hidden while a user is being removed.
    const shown: readonly string[] = asker === undefined ? ['all'] : ['all', 'internal-only'];
    return new Set(others.filter((id) => !shown.includes(values.get(id) ?? 'none')));
  }

  /** Reads a property of users with one message; unknown ids are missing. */
  async readValues<T extends string>(
    { contextId }: Tenant,
    ids: readonly number[],
    property: Property<T>,
  ): Promise<Map<number, T>> {
    if (ids.length === 0) return new Map();
    const values = await this.caller.call(directory.propertyOfUsers, {
      principal: { kind: 'internal', service: this.service, contextId },
      query: { key: property.key, ids: [...ids] },
    });
    const common = this.properties.serverValue(property);
    return new Map(
      ids.flatMap((id) => {
        const text = values[String(id)];
        if (text === null) return [];
        const own = text === undefined ? undefined : parseProperty(property, text);
        return [[id, (own ?? common) as T]];
      }),
    );
  }
}

/** The rule for a service that injects it. */
export const freeBusyVisibilityProvider = (service: string): FactoryProvider<FreeBusyVisibility> => ({
  provide: FreeBusyVisibility,
  inject: [Caller, Properties],
  useFactory: (caller: Caller, properties: Properties) => new FreeBusyVisibility(caller, properties, service),
});
