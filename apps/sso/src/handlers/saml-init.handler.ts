import { CatalogueError, reply, samlInit, type CallOf, type Handler, type SamlInitAnswer } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SamlLogins } from '../saml/saml-logins';
import { SamlLogouts } from '../saml/saml-logouts';
import { SamlProvider } from '../saml/saml-provider';
import { redirectTo, renderError, replyBadRequest } from '../web/pages';

const FLOWS: ReadonlySet<string> = new Set(['login', 'relogin', 'logout']);

/** Starts a login or logout at the identity provider of the tenant. */
@Handles(samlInit.start)
export class SamlInitHandler implements Handler<typeof samlInit.start> {
  constructor(
    private readonly provider: SamlProvider,
    private readonly logins: SamlLogins,
    private readonly logouts: SamlLogouts,
  ) {}

  async handle({ query, edge }: CallOf<typeof samlInit.start>) {
    if (!FLOWS.has(query.flow ?? '')) return replyBadRequest();
    try {
      const tenant = this.provider.require(query.tenant, edge!);
      const begun =
        query.flow === 'logout'
          ? { address: await this.logouts.begin(tenant, edge!), cookies: [] }
          : await this.logins.begin(tenant, query, edge!);
      if (begun.address === undefined) return replyBadRequest();
      if (query.redirect) return redirectTo(begun.address, begun.cookies);
      return reply<SamlInitAnswer>({ redirect_uri: begun.address }, { cookies: begun.cookies });
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
