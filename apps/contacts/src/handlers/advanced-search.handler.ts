import {
  contacts,
  listEqualValues,
  parseSearchTerm,
  type CallOf,
  type Handler,
  type SearchTerm,
} from '@groupware/contracts';
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
    const term = toStoredValues(parseSearchTerm(body.filter));
    const condition = compileSearchTerm(term, CONTACT_SEARCH_FIELDS, FIRST_FILTER_PARAMETER);
    const folderId = findOnlyFolder(term);
    const filter = { ...condition, ...(folderId !== undefined && { folderId }) };
    // Folders that a term names are to be readable; it is evaluated as it is written all the same.
    const folderIds = [...new Set(listEqualValues(term, 'folder_id').map((id) => parseContactFolderId(String(id))))];
    return this.view.search(principal, query, { folderIds, filter });
  }
}

/** The term with its values as the table has them: folders by number, which newer clients name `con://0/6`, and accents composed. */
function toStoredValues(term: SearchTerm): SearchTerm {
  if ('terms' in term) return { ...term, terms: term.terms.map(toStoredValues) };
  if ('term' in term) return { ...term, term: toStoredValues(term.term) };
  if (!('value' in term) || typeof term.value !== 'string') return term;
  const isAddress = term.field === 'folder_id' && term.value.startsWith('con:');
  return { ...term, value: isAddress ? parseContactFolderId(term.value) : term.value.normalize('NFC') };
}

/** The only folder in which contacts that meet the term can be. */
function findOnlyFolder(term: SearchTerm): number | undefined {
  if ('terms' in term) {
    const [first] = term.terms.flatMap((each) => findOnlyFolder(each) ?? []);
    return term.operator === 'and' || term.terms.length === 1 ? first : undefined;
  }
  if (!('value' in term) || term.operator !== '=' || term.field !== 'folder_id') return undefined;
  return parseContactFolderId(String(term.value));
}
