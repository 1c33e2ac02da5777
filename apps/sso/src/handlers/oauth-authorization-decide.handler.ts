import { CatalogueError, oauthAuthorization, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Authorizations } from '../provider/authorizations';
import { renderError } from '../web/pages';

/** Takes the form that a user sent from the page of an application. */
@Handles(oauthAuthorization.decide)
export class OAuthAuthorizationDecideHandler implements Handler<typeof oauthAuthorization.decide> {
  constructor(private readonly authorizations: Authorizations) {}

  async handle({ body, edge }: CallOf<typeof oauthAuthorization.decide>) {
    try {
      return await this.authorizations.decide(body, edge!);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!);
      throw error;
    }
  }
}
