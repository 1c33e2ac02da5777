import { CatalogueError, samlSls, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SamlLogouts } from '../saml/saml-logouts';
import { SamlProvider } from '../saml/saml-provider';
import { renderError } from '../web/pages';

/** A message of single logout by redirect. */
@Handles(samlSls.request)
export class SamlSlsRequestHandler implements Handler<typeof samlSls.request> {
  constructor(
    private readonly provider: SamlProvider,
    private readonly logouts: SamlLogouts,
  ) {}

  async handle({ query, edge }: CallOf<typeof samlSls.request>) {
    try {
      return await this.logouts.takeRedirect(this.provider.require(query.tenant, edge!), edge!);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
