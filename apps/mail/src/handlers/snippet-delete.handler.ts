import { RequestErrors, snippets, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Snippets } from '../snippets/snippets';

/** `snippet?action=delete`: deletes snippets. */
@Handles(snippets.delete)
export class SnippetDeleteHandler implements Handler<typeof snippets.delete> {
  constructor(private readonly snippets: Snippets) {}

  async handle({ principal, query, body }: CallOf<typeof snippets.delete>): Promise<undefined> {
    const ids = [...new Set([...(query.id === undefined ? [] : [query.id]), ...(body ?? [])])];
    if (ids.length === 0) throw RequestErrors.missingParameter('id');
    await this.snippets.deleteSnippets(principal, ids);
    return undefined;
  }
}
