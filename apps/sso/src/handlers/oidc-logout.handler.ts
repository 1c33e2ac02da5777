import { CatalogueError, oidcLogout, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OidcLogouts } from '../oidc/oidc-logouts';
import { renderError } from '../web/pages';

/** The browser comes back from the logout at the provider. */
@Handles(oidcLogout.finish)
export class OidcLogoutReturnHandler implements Handler<typeof oidcLogout.finish> {
  constructor(private readonly logouts: OidcLogouts) {}

  async handle({ query, edge }: CallOf<typeof oidcLogout.finish>) {
    try {
      return await this.logouts.finish(query, edge!);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
