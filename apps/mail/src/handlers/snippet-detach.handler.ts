import { snippets, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SnippetFiles } from '../snippets/snippet-files';

/** `snippet?action=detach`: removes files. */
@Handles(snippets.detach)
export class SnippetDetachHandler implements Handler<typeof snippets.detach> {
  constructor(private readonly files: SnippetFiles) {}

  handle({ principal, query, body }: CallOf<typeof snippets.detach>): Promise<string> {
    return this.files.detachFiles(
      principal,
      query.id,
      body.map(({ id }) => id),
    );
  }
}
