import { snippets, type CallOf, type Handler, type Snippet } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=get`: a snippet. */
@Handles(snippets.get)
export class SnippetGetHandler implements Handler<typeof snippets.get> {
  constructor(private readonly snippets: Snippets) {}

  handle({ principal, query }: CallOf<typeof snippets.get>): Promise<Snippet> {
    return this.snippets.getSnippet(principal, query.id);
  }
}
