import { Injectable } from '@nestjs/common';
import {
  CONTACT_RIGHTS,
  CONTACT_SEARCH_FIELD_NAMES,
  DEFAULT_FIND_VALUES,
  listFacets,
  listFolderTypes,
  listLongQueries,
  MAX_FIND_RESULTS,
  MIN_SEARCH_LENGTH,
  parseFindPage,
  parseFindRequest,
  SHOW_DEPARTMENTS,
  splitTokens,
  SYSTEM_FOLDERS,
  toContactName,
  toContactValueId,
  toFindPage,
  toFindResults,
  toFolderChoice,
  waiveCheck,
  type FindAutocompleteBody,
  type FindAutocompleteQuery,
  type FindFacets,
  type FindFacetValue,
  type FindPage,
  type FindQuery,
  type FindQueryBody,
  type UserPrincipal,
} from '@groupware/contracts';
import { ConditionValues, ModuleDatabase } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { FolderAccess, parseContactFolderId } from '../folders/folder-access';
import { expandColumns, fieldOfColumn } from '../persistence/contact.columns';
import { ContactViewRepository, FIRST_FILTER_PARAMETER } from '../persistence/contact-view.repository';
import { anyFieldBeginsWith } from '../search/contact-conditions';
import { ContactView, inFolders } from '../views/contact-view';
import { CONTACT_FACETS } from './contact-facets';
import { filterCondition, isTextField, parseGlobalFields } from './find-conditions';

const VALUE_COLUMNS = ['1', '500', '501', '502', '569', '555', '606', '20', '519'];
const VALUE_FIELDS = ['display_name', 'first_name', 'last_name', 'email1', 'email2', 'email3'] as const;
const MOST_USED_FIRST = '609';

/** Searches contacts by facets. */
@Injectable()
export class ContactFinder {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly access: FolderAccess,
    private readonly contacts: ContactView,
    private readonly view: ContactViewRepository,
  ) {}

  /** The facets that are left to choose. @throws FIND-0003, FIND-0005 to FIND-0008, FIND-0015, FIND-0016 */
  async listFacets(
    user: UserPrincipal,
    { limit = DEFAULT_FIND_VALUES }: FindAutocompleteQuery,
    body: FindAutocompleteBody,
  ): Promise<FindFacets> {
    const request = parseFindRequest(body, CONTACT_FACETS);
    const [minLength, showsDepartments] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, user),
      this.properties.get(SHOW_DEPARTMENTS, user),
    ]);
    const tokens = splitTokens(body.prefix, minLength);
    const { values, bind } = new ConditionValues(FIRST_FILTER_PARAMETER);
    const conditions = tokens.map((token) => anyFieldBeginsWith(VALUE_FIELDS, token, bind));
    const chosen = new Set(request.active.filter(({ facet }) => facet === 'contact').map(({ value }) => value));
    const where = [...conditions, ...(request.withoutAdmin ? ['not a.is_admin'] : []), 'true'].join(' and ');
    const found = await this.database.read(user, async (db) => {
      const folders = await this.access.listVisible(db, user);
      return this.view.listRows(db, this.contacts.toReader(user, folders), {
        columns: VALUE_COLUMNS,
        sort: MOST_USED_FIRST,
        filter: { where, values },
        from: 0,
        maxRows: limit + chosen.size,
        isPart: true,
      });
    });
    const offered = (JSON.parse(found.rows) as ValueRow[])
      .map((row) => toValue(user, row, showsDepartments))
      .filter(({ id }) => !chosen.has(id))
      .slice(0, limit);
    const facets = listFacets(CONTACT_FACETS, {
      request,
      prefix: body.prefix,
      minLength,
      locale: user.locale,
      values: { contact: offered },
      folderTypes: listFolderTypes(user),
    });
    return { facets };
  }

  /** A page of contacts by name; nothing without a facet. @throws FIND-0003 to FIND-0008, FIND-0010, FIND-0014 to FIND-0016, FIND-0019 */
  async listPage(user: UserPrincipal, { columns = ['list'] }: FindQuery, body: FindQueryBody): Promise<FindPage> {
    const request = parseFindRequest(body, CONTACT_FACETS);
    const [minLength, most, globalNames] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, user),
      this.properties.get(MAX_FIND_RESULTS, user),
      this.properties.get(CONTACT_SEARCH_FIELD_NAMES, user),
    ]);
    const { start, size } = parseFindPage(body, most);
    const shown = [...new Set(['1', '20', ...expandColumns(columns)])];
    if (request.active.length === 0 && request.folder === undefined && request.folderType === undefined) {
      waiveCheck(CONTACT_RIGHTS.read, 'nothing is looked for');
      return { num_found: 0, start, size: 0, results: [] };
    }
    const global = parseGlobalFields(globalNames);
    const { values, bind } = new ConditionValues(FIRST_FILTER_PARAMETER);
    const conditions = request.active.map(({ filter: { fields, queries } }) => {
      const long = fields.some(isTextField) ? listLongQueries(queries, minLength) : queries;
      return filterCondition({ fields, queries: long }, global, bind);
    });
    if (request.withoutAdmin) conditions.push('not a.is_admin');
    const where = conditions.join(' and ') || 'true';
    const chooses = toFolderChoice(request, user, parseContactFolderId);
    const found = await this.database.read(user, async (db) => {
      const folders = await this.access.listVisible(db, user);
      return this.view.listRows(db, this.contacts.toReader(user, folders, request), {
        columns: shown,
        filter: inFolders(
          folders.filter(chooses).map(({ id }) => id),
          { where, values },
        ),
        from: start,
        maxRows: size,
        isPart: true,
      });
    });
    const names = shown.map(fieldOfColumn);
    return toFindPage(start, toFindResults(names, JSON.parse(found.rows) as unknown[][]));
  }
}

/** A contact as the columns of values have it. */
type ValueRow = readonly [
  id: string,
  displayName: string | null,
  firstName: string | null,
  lastName: string | null,
  company: string | null,
  mail: string | null,
  image: string | null,
  folder: string,
  department: string | null,
];

function toValue(
  { contextId }: UserPrincipal,
  [id, displayName, firstName, lastName, company, mail, image, folder, department]: ValueRow,
  showsDepartments: boolean,
): FindFacetValue {
  const name = toContactName({ displayName, firstName, lastName, company, mail });
  const isInDepartment = showsDepartments && department && folder === String(SYSTEM_FOLDERS.globalAddressBook);
  return {
    id: toContactValueId(contextId, id),
    item: {
      name: isInDepartment ? `${name} (${department})` : name,
      ...(mail && { detail: mail }),
      ...(image && { image_url: image }),
    },
    filter: { fields: ['contact'], queries: [id] },
  };
}
