import { CatalogueError, samlSls, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SamlLogouts } from '../saml/saml-logouts';
import { SamlProvider } from '../saml/saml-provider';
import { renderError } from '../web/pages';

/** A message of single logout by form. */
@Handles(samlSls.post)
export class SamlSlsPostHandler implements Handler<typeof samlSls.post> {
  constructor(
    private readonly provider: SamlProvider,
    private readonly logouts: SamlLogouts,
  ) {}

  async handle({ body, edge }: CallOf<typeof samlSls.post>) {
    try {
      return await this.logouts.takePost(this.provider.require(body.tenant, edge!), body);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
