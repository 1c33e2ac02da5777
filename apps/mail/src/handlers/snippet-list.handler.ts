import { snippets, type CallOf, type Handler, type Snippet } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=list`: snippets by their ids. */
@Handles(snippets.list)
export class SnippetListHandler implements Handler<typeof snippets.list> {
  constructor(private readonly snippets: Snippets) {}

  handle({ principal, body }: CallOf<typeof snippets.list>): Promise<Snippet[]> {
    return this.snippets.findSnippets(principal, body);
  }
}
