import {
  ALL_FOLDERS_FOR_AUTOCOMPLETE,
  AUTOCOMPLETE_FIELDS,
  ContactErrors,
  ContactLimitErrors,
  contacts,
  FULLTEXT_AUTOCOMPLETE,
  FULLTEXT_FIELDS,
  MIN_SEARCH_LENGTH,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ConditionValues } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { parseContactFolderId } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/contact-view.repository';
import { AddressFolders } from '../search/address-folders';
import { parseFieldNames } from '../search/autocomplete-fields';
import { anyFieldBeginsWith, anyWordBeginsWith, HAS_ADDRESS } from '../search/contact-conditions';
import { splitWords } from '../search/words';
import { ContactView, inFolders } from '../views/contact-view';

/** The most used first, then users, then by name. */
const MOST_USED_FIRST = '609';

/** `autocomplete`: contacts of which every word that was typed begins a name or an address. */
@Handles(contacts.autocomplete)
export class AutocompleteHandler implements Handler<typeof contacts.autocomplete> {
  constructor(
    private readonly view: ContactView,
    private readonly properties: Properties,
    private readonly folders: AddressFolders,
  ) {}

  async handle({ principal, query }: CallOf<typeof contacts.autocomplete>) {
    const [shortest, everywhere, isFulltext, fieldNames] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, principal),
      this.properties.get(ALL_FOLDERS_FOR_AUTOCOMPLETE, principal),
      this.properties.get(FULLTEXT_AUTOCOMPLETE, principal),
      this.properties.get(AUTOCOMPLETE_FIELDS, principal),
    ]);
    const typed = query.query.trim();
    if ([...typed].length < shortest) throw ContactErrors.searchTooShort(shortest);
    const { words, ignored } = splitWords(typed, shortest);
    const { values, bind } = new ConditionValues(FIRST_FILTER_PARAMETER);
    const begins = isFulltext ? anyWordBeginsWith : anyFieldBeginsWith;
    const fields = parseFieldNames(isFulltext ? await this.properties.get(FULLTEXT_FIELDS, principal) : fieldNames);
    const conditions = words.map((word) => begins(fields, word, bind));
    if (query.email !== false) conditions.push(HAS_ADDRESS);
    const filter = { where: conditions.length === 0 ? 'true' : conditions.join(' and '), values };
    const folderId = query.folder === undefined ? undefined : parseContactFolderId(query.folder);
    const folderIds = folderId === undefined ? undefined : [folderId];
    const places = folderIds ?? (everywhere ? undefined : await this.folders.listIds(principal));
    return this.view.search(
      principal,
      { ...query, sort: query.sort ?? MOST_USED_FIRST },
      {
        folderIds,
        filter: places ? inFolders(places, filter) : filter,
        ...(ignored.length > 0 && { warnings: ignored.map((word) => ContactLimitErrors.wordIgnored(word)) }),
      },
    );
  }
}
