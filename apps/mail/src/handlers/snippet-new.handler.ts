import { snippets, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=new`: stores a snippet. */
@Handles(snippets.new)
export class SnippetNewHandler implements Handler<typeof snippets.new> {
  constructor(private readonly snippets: Snippets) {}

  handle({ principal, body }: CallOf<typeof snippets.new>): Promise<string> {
    return this.snippets.createSnippet(principal, body);
  }
}
