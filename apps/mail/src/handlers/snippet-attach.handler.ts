import { snippets, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SnippetFiles } from '../snippets/snippet-files';

/** `snippet?action=attach`: attaches files. */
@Handles(snippets.attach)
export class SnippetAttachHandler implements Handler<typeof snippets.attach> {
  constructor(private readonly files: SnippetFiles) {}

  handle({ principal, query, files }: CallOf<typeof snippets.attach>): Promise<string> {
    return this.files.attachFiles(principal, query, files);
  }
}
