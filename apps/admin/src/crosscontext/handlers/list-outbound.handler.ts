import { crossContext, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { IdentityClient } from '../identity-client';
import { ShareRepository } from '../persistence/share.repository';

/** Lists what a user shares with other contexts and with guests. */
@Handles(crossContext.listOutbound)
export class ListOutboundHandler implements Handler<typeof crossContext.listOutbound> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ShareRepository,
    private readonly identity: IdentityClient,
  ) {}

  async handle({ query: { context, user } }: CallOf<typeof crossContext.listOutbound>) {
    const tenant = { contextId: context };
    await this.identity.requireUser(tenant, user);
    const rows = await this.database.read(tenant, (db) => this.rows.listByOwner(db, user));
    const shares = rows.map(
      ({ granteeContext, entity, group, guest, module, kind, folder, item, permissions, created }) => ({
        context: granteeContext,
        entity,
        type: group ? 'group' : guest ? 'guest' : 'user',
        module,
        kind,
        ...(folder === null ? {} : { folder }),
        ...(item === null ? {} : { item }),
        permissions,
        created,
      }),
    );
    return { context, user, shares };
  }
}
