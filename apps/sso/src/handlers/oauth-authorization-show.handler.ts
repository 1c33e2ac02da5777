import { CatalogueError, oauthAuthorization, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Authorizations } from '../provider/authorizations';
import { renderError } from '../web/pages';

/** The page on which a user grants an application access. */
@Handles(oauthAuthorization.show)
export class OAuthAuthorizationShowHandler implements Handler<typeof oauthAuthorization.show> {
  constructor(private readonly authorizations: Authorizations) {}

  async handle({ query, edge }: CallOf<typeof oauthAuthorization.show>) {
    try {
      return await this.authorizations.show(query, edge!);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
