import { CatalogueError, samlAcs, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SamlLogins } from '../saml/saml-logins';
import { SamlProvider } from '../saml/saml-provider';
import { renderError } from '../web/pages';

/** The browser brings an assertion. */
@Handles(samlAcs.take)
export class SamlAcsHandler implements Handler<typeof samlAcs.take> {
  constructor(
    private readonly provider: SamlProvider,
    private readonly logins: SamlLogins,
  ) {}

  async handle({ body, edge }: CallOf<typeof samlAcs.take>) {
    try {
      return await this.logins.finish(this.provider.require(body.tenant, edge!), body, edge!);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
