import { snippets, type CallOf, type Handler, type Snippet } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=all`: the snippets that a user sees. */
@Handles(snippets.all)
export class SnippetAllHandler implements Handler<typeof snippets.all> {
  constructor(private readonly snippets: Snippets) {}

  handle({ principal, query }: CallOf<typeof snippets.all>): Promise<Snippet[]> {
    return this.snippets.listSnippets(principal, query.type);
  }
}
