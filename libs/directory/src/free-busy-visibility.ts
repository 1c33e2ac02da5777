import { directory, FREE_BUSY_VISIBILITY, parseProperty, type Property, type Tenant } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import type { FactoryProvider } from '@nestjs/common';

/**
 * Who may see when a user is busy: the one rule behind every door that tells busy times, whether as times, as conflicts or as a page
 * for the internet. It asks the identity service once, whatever the number of users.
 */
export class FreeBusyVisibility {
  constructor(
    private readonly caller: Pick<Caller, 'call'>,
    private readonly properties: Pick<Properties, 'serverValue'>,
    private readonly service: string,
  ) {}

  /**
   * The users among `ids` whose times must not be told.
   * @param asker the user of the same context who asks; absent for cooperating services and the internet
   */
  async hiddenUsers(tenant: Tenant, ids: Iterable<number>, asker?: number): Promise<ReadonlySet<number>> {
    const others = [...new Set(ids)].filter((id) => id !== asker);
    const values = await this.valuesOf(tenant, others, FREE_BUSY_VISIBILITY);
    const shown: readonly string[] = asker === undefined ? ['all'] : ['all', 'internal-only'];
    return new Set(others.filter((id) => !shown.includes(values.get(id)!)));
  }

  /** The values of a property for users, with one message. */
  async valuesOf<T extends string>(
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
      ids.map((id) => {
        const text = values[String(id)];
        const own = text === undefined ? undefined : parseProperty(property as unknown as Property, text);
        return [id, (own ?? common) as T];
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
