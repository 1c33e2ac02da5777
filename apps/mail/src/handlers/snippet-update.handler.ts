import { snippets, SnippetUpdate, type CallOf, type Handler, type Snippet } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OutgoingFiles } from '../sending/outgoing-files';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=update`: changes a snippet. */
@Handles(snippets.update)
export class SnippetUpdateHandler implements Handler<typeof snippets.update> {
  constructor(
    private readonly snippets: Snippets,
    private readonly files: OutgoingFiles,
  ) {}

  async handle(call: CallOf<typeof snippets.update>): Promise<Snippet> {
    return this.snippets.updateSnippet(call.principal, call.query.id, await this.files.readBody(SnippetUpdate, call));
  }
}
