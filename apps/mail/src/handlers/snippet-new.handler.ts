import { NewSnippet, snippets, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OutgoingFiles } from '../sending/outgoing-files';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=new`: stores a snippet. */
@Handles(snippets.new)
export class SnippetNewHandler implements Handler<typeof snippets.new> {
  constructor(
    private readonly snippets: Snippets,
    private readonly files: OutgoingFiles,
  ) {}

  async handle(call: CallOf<typeof snippets.new>): Promise<string> {
    return this.snippets.createSnippet(call.principal, await this.files.readBody(NewSnippet, call));
  }
}
