import { CatalogueError, oidcBackchannel, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OidcBackends } from '../oidc/oidc-backends';
import { OidcLogouts } from '../oidc/oidc-logouts';
import { renderError } from '../web/pages';

/** Ends the sessions that a provider's logout token names. */
@Handles(oidcBackchannel.logout)
export class OidcBackchannelHandler implements Handler<typeof oidcBackchannel.logout> {
  constructor(
    private readonly backends: OidcBackends,
    private readonly logouts: OidcLogouts,
  ) {}

  async handle({ body, edge }: CallOf<typeof oidcBackchannel.logout>) {
    try {
      await this.logouts.logOutByToken(this.backends.require(body.backend, edge!), body.logout_token ?? '');
      return reply<undefined>(undefined, { status: 200 });
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
