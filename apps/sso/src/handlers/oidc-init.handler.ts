import { CatalogueError, oidcInit, reply, type CallOf, type Handler, type OidcInitAnswer } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OidcBackends } from '../oidc/oidc-backends';
import { OidcLogins } from '../oidc/oidc-logins';
import { OidcLogouts } from '../oidc/oidc-logouts';
import { OIDC_ISSUER } from '@groupware/contracts';
import { redirectTo, renderError, replyBadRequest } from '../web/pages';

/** Starts a login or logout at the OpenID provider of the host. */
@Handles(oidcInit.start)
export class OidcInitHandler implements Handler<typeof oidcInit.start> {
  constructor(
    private readonly backends: OidcBackends,
    private readonly logins: OidcLogins,
    private readonly logouts: OidcLogouts,
  ) {}

  async handle({ query, edge }: CallOf<typeof oidcInit.start>) {
    if (query.flow !== 'login' && query.flow !== 'logout') return replyBadRequest();
    try {
      const backend = this.backends.require(query.backend, edge!);
      // A login that the provider starts must be one of the provider that is set up here.
      if (query.iss !== undefined && query.iss !== backend.value(OIDC_ISSUER)) return replyBadRequest();
      const begun =
        query.flow === 'login'
          ? await this.logins.begin(backend, query, edge!)
          : { address: await this.logouts.begin(backend, edge!), cookies: [] };
      if (begun.address === undefined) return replyBadRequest();
      if (query.redirect) return redirectTo(begun.address, begun.cookies);
      return reply<OidcInitAnswer>({ redirect: begun.address }, { cookies: begun.cookies });
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
