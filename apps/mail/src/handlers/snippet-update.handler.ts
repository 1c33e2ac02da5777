import { snippets, type CallOf, type Handler, type Snippet } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=update`: changes a snippet. */
@Handles(snippets.update)
export class SnippetUpdateHandler implements Handler<typeof snippets.update> {
  constructor(private readonly snippets: Snippets) {}

  handle({ principal, query, body }: CallOf<typeof snippets.update>): Promise<Snippet> {
    return this.snippets.updateSnippet(principal, query.id, body);
  }
}
