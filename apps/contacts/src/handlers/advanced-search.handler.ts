import { contacts, listEqualValues, parseSearchTerm, type CallOf, type Handler } from '@groupware/contracts';
import { compileSearchTerm } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseContactFolderId } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/contact-view.repository';
import { CONTACT_SEARCH_FIELDS } from '../search/contact-conditions';
import { ContactView } from '../views/contact-view';

/** `advancedSearch`: contacts that meet a term. */
@Handles(contacts.advancedSearch)
export class AdvancedSearchHandler implements Handler<typeof contacts.advancedSearch> {
  constructor(private readonly view: ContactView) {}

  handle({ principal, query, body }: CallOf<typeof contacts.advancedSearch>) {
    const term = parseSearchTerm(body.filter);
    const filter = compileSearchTerm(term, CONTACT_SEARCH_FIELDS, FIRST_FILTER_PARAMETER);
    // Folders that a term names are to be readable; it is evaluated as it is written all the same.
    const folderIds = [...new Set(listEqualValues(term, 'folder_id').map((id) => parseContactFolderId(String(id))))];
    return this.view.search(principal, query, { folderIds, filter });
  }
}
