import { crossContext, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { People } from '../people';
import { ShareRepository } from '../persistence/share.repository';

/** What a user shares with other contexts. */
@Handles(crossContext.listOutbound)
export class ListOutboundHandler implements Handler<typeof crossContext.listOutbound> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ShareRepository,
    private readonly people: People,
  ) {}

  async handle({ query: { context, user } }: CallOf<typeof crossContext.listOutbound>) {
    const tenant = { contextId: context };
    await this.people.user(tenant, user);
    const rows = await this.database.read(tenant, (db) => this.rows.ofOwner(db, user));
    const shares = rows.map(({ granteeContext, entity, group, module, kind, folder, item, permissions, created }) => ({
      context: granteeContext,
      entity,
      type: group ? 'group' : 'user',
      module,
      kind,
      ...(folder === null ? {} : { folder }),
      ...(item === null ? {} : { item }),
      permissions,
      created,
    }));
    return { context, user, shares };
  }
}
