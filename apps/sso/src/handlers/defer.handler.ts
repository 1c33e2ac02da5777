import { CatalogueError, oauthDefer, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AccountRequests } from '../client/account-requests';
import { renderError } from '../web/pages';

/** The browser comes back from a service elsewhere. */
@Handles(oauthDefer.forward)
export class DeferHandler implements Handler<typeof oauthDefer.forward> {
  constructor(private readonly requests: AccountRequests) {}

  async handle({ query, edge }: CallOf<typeof oauthDefer.forward>) {
    try {
      return await this.requests.forward(query, edge!);
    } catch (error) {
      if (error instanceof CatalogueError) return renderError(error, edge!, 'oauth.failed');
      throw error;
    }
  }
}
