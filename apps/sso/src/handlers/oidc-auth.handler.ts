import { CatalogueError, oidcAuth, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OidcLogins } from '../oidc/oidc-logins';
import { renderError } from '../web/pages';

/** The browser comes back from the login at the provider. */
@Handles(oidcAuth.finish)
export class OidcAuthHandler implements Handler<typeof oidcAuth.finish> {
  constructor(private readonly logins: OidcLogins) {}

  async handle({ query, edge }: CallOf<typeof oidcAuth.finish>) {
    try {
      return await this.logins.finish(query, edge!);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
