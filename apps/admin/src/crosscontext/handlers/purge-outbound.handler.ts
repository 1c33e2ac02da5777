import { crossContext, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { IdentityClient } from '../identity-client';
import { Purges } from '../purges';

/** Takes back what a user shares with other contexts. */
@Handles(crossContext.purgeOutbound)
export class PurgeOutboundHandler implements Handler<typeof crossContext.purgeOutbound> {
  constructor(
    private readonly purges: Purges,
    private readonly identity: IdentityClient,
  ) {}

  async handle({ query }: CallOf<typeof crossContext.purgeOutbound>) {
    const { context, user, ...filter } = query;
    const tenant = { contextId: context };
    await this.identity.requireUser(tenant, user);
    return { context, user, ...(await this.purges.purgeOutbound(tenant, user, filter)) };
  }
}
