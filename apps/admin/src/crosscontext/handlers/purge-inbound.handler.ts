import { crossContext, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { IdentityClient } from '../identity-client';
import { Purges } from '../purges';

/** Takes back what a user himself sees of other contexts. */
@Handles(crossContext.purgeInbound)
export class PurgeInboundHandler implements Handler<typeof crossContext.purgeInbound> {
  constructor(
    private readonly purges: Purges,
    private readonly identity: IdentityClient,
  ) {}

  async handle({ query }: CallOf<typeof crossContext.purgeInbound>) {
    const { context, user, ...filter } = query;
    const tenant = { contextId: context };
    await this.identity.requireUser(tenant, user);
    return { context, user, ...(await this.purges.purgeInbound(tenant, user, filter)) };
  }
}
