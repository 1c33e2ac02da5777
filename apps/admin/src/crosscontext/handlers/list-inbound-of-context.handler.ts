import { crossContext, type CallOf, type Handler, type InboundEntity } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { groupByModule } from '../domain/purge';
import { IdentityClient } from '../identity-client';
import { LiaisonRepository } from '../persistence/liaison.repository';

/** Lists which entities of a context see objects of which other contexts. */
@Handles(crossContext.listInboundOfContext)
export class ListInboundOfContextHandler implements Handler<typeof crossContext.listInboundOfContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
    private readonly identity: IdentityClient,
  ) {}

  async handle({ query: { context } }: CallOf<typeof crossContext.listInboundOfContext>) {
    const tenant = { contextId: context };
    await this.identity.requireContext(tenant);
    const rows = await this.database.read(tenant, (db) => this.liaisons.listSummary(db));
    const users = [...new Set(rows.filter(({ group }) => !group).map(({ entity }) => entity))];
    const zones = await this.identity.listZonesOfUsers(tenant, users);
    const entities = [...new Set(rows.map(({ entity }) => entity))].map((entity): InboundEntity => {
      const own = rows.filter((row) => row.entity === entity);
      const type = own[0]!.group ? 'group' : 'user';
      const trustZones = zones.get(entity);
      return { entity, type, liaisons: groupByModule(own), ...(trustZones && type === 'user' ? { trustZones } : {}) };
    });
    return { context, entities };
  }
}
