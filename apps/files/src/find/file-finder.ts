import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  FindErrors,
  isOfFolderType,
  listFacets,
  listFolderTypes,
  listLongQueries,
  MAX_FIND_RESULTS,
  MIN_SEARCH_LENGTH,
  parseFindFolder,
  parseFindPage,
  parseFindRequest,
  toFindPage,
  toFindResults,
  type CommonFacet,
  type FindAutocompleteBody,
  type FindFacets,
  type FindFolder,
  type FindPage,
  type FindQuery,
  type FindQueryBody,
  type FindRequest,
  type UserPrincipal,
} from '@groupware/contracts';
import { ConditionValues, ModuleDatabase, type Reader } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { FolderAccess, parseFileFolderId } from '../folders/folder-access';
import { fieldOfDocumentColumn, FIRST_FILTER_PARAMETER } from '../persistence/document.columns';
import { DocumentViewRepository } from '../persistence/document-view.repository';
import { FolderContentRepository } from '../persistence/folder-content.repository';
import { DocumentView } from '../views/document-view';
import { ExtendedPermissions } from '../views/extended-permissions';
import { belowRoot, choosePlaces, EVERYWHERE, inPlaces, type SearchedPlaces } from '../views/searched-places';
import { FILE_FACETS } from './file-facets';
import { StorageAccounts } from '../storages/storage-accounts';
import { StorageListing } from '../storages/storage-listing';
import { parseStorageFolderId, type StorageAddress } from '../storages/storage-id';
import type { StorageRequest } from '../storages/storage-kind';
import { filterCondition, isTextField, meetsFilter } from './find-conditions';

const COMMON: readonly CommonFacet[] = ['folder', 'folder_type', 'account'];
/** The account of the own files: `<service>://<account>`. */
const OWN_ACCOUNT = /^[\w.-]{1,200}:\/\/infostore$/;
/** Columns of results, whatever is asked for. */
const PLACE_COLUMNS = ['1', '20'];
const DEFAULT_COLUMNS = ['2', '3', '4', '5', '23', '102', '108', '109'].concat(
  ...['700', '701', '702', '703', '704', '705', '706', '707', '711'],
);
const TITLE = '700';

/** Searches files by facets. */
@Injectable()
export class FileFinder {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly access: FolderAccess,
    private readonly content: FolderContentRepository,
    private readonly documents: DocumentView,
    private readonly view: DocumentViewRepository,
    private readonly extended: ExtendedPermissions,
    private readonly accounts: StorageAccounts,
    private readonly storages: StorageListing,
    private readonly clock: Clock,
  ) {}

  /** The facets that are left to choose. @throws FIND-0003, FIND-0005 to FIND-0008, FIND-0015, FIND-0016 */
  async listFacets(user: UserPrincipal, body: FindAutocompleteBody): Promise<FindFacets> {
    const request = parseFindRequest(body, FILE_FACETS, COMMON);
    const minLength = await this.properties.get(MIN_SEARCH_LENGTH, user);
    const { locale } = user;
    const question = {
      request,
      prefix: body.prefix,
      minLength,
      locale,
      values: {},
      folderTypes: listFolderTypes(user),
    };
    return { facets: listFacets(FILE_FACETS, question) };
  }

  /**
   * A page of files by title, each with its current version. Who has accounts elsewhere says which one is searched.
   * @throws FIND-0003 to FIND-0008, FIND-0010, FIND-0011, FIND-0014 to FIND-0016, FIND-0018, FIND-0019
   */
  async listPage(call: StorageRequest, { columns }: FindQuery, body: FindQueryBody): Promise<FindPage> {
    const { principal: user } = call;
    const request = parseFindRequest(body, FILE_FACETS, COMMON);
    const { timezone } = request;
    const elsewhere = await this.findStorage(user, request);
    const [minLength, most] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, user),
      this.properties.get(MAX_FIND_RESULTS, user),
    ]);
    const { start, size } = parseFindPage(body, most);
    const shown = [...new Set([...PLACE_COLUMNS, ...(columns ?? DEFAULT_COLUMNS)])];
    const { values, bind } = new ConditionValues(FIRST_FILTER_PARAMETER);
    const now = this.clock.now();
    const filters = request.active.map(({ filter: { fields, queries } }) => ({
      fields,
      queries: fields.some(isTextField) ? listLongQueries(queries, minLength) : queries,
    }));
    // Unknown values are refused also where no file is compared with them.
    const conditions = filters.map((filter) => filterCondition(filter, now, bind));
    if (elsewhere) {
      const query = { columns: shown, sort: TITLE, order: 'asc', timezone };
      const rows = await this.storages.findRows(call, elsewhere, query, { from: start, maxRows: size }, (document) =>
        filters.every((filter) => meetsFilter(document, filter, now)),
      );
      return toFindPage(start, toFindResults(shown.map(fieldOfDocumentColumn), rows));
    }
    const found = await this.database.read(user, async (db) => {
      const readable = await this.access.listReadable(db, user);
      const places = inPlaces(await this.findPlaces(db, user, request, readable), bind);
      return this.view.listRows(db, this.documents.toReader(user, readable, timezone), {
        columns: shown,
        sort: TITLE,
        order: 'asc',
        filter: { where: [places, ...conditions].join(' and '), values },
        from: start,
        maxRows: size,
      });
    });
    const extended = await this.extended.extendCells(user, found.rows, { columns: shown, timezone });
    const cells = extended ?? (JSON.parse(found.rows) as unknown[][]);
    return toFindPage(start, toFindResults(shown.map(fieldOfDocumentColumn), cells));
  }

  /** The folder of an account elsewhere that is searched; undefined for the own files. @throws FIND-0011, FIND-0014, FIND-0018 */
  private async findStorage(
    user: UserPrincipal,
    { account, folder }: FindRequest,
  ): Promise<StorageAddress | undefined> {
    const known = await this.accounts.listAccounts(user);
    if (account === undefined) {
      if (known.length > 0) throw FindErrors.noFacet('account');
      return undefined;
    }
    if (OWN_ACCOUNT.test(account)) return undefined;
    const root = parseAddress(`${account.replace(/\/$/, '')}/`);
    const isKnown = known.some((each) => each.kind.id === root?.service && String(each.account.id) === root.account);
    if (!root || !isKnown) throw FindErrors.badAccount(account.slice(0, 100));
    if (folder === undefined) return root;
    const wanted = parseAddress(folder);
    if (wanted?.service !== root.service || wanted.account !== root.account)
      throw FindErrors.badFolder(folder.slice(0, 100));
    return wanted;
  }

  /** Everywhere but in the trash, in folders of a kind, or in a folder and all below it. @throws FIND-0014 */
  private async findPlaces(
    db: Reader,
    user: UserPrincipal,
    { folder, folderType }: FindRequest,
    readable: readonly FindFolder[],
  ): Promise<SearchedPlaces> {
    const wanted = folder === undefined ? undefined : parseFindFolder(folder, parseFileFolderId);
    const choose =
      folderType === undefined
        ? wanted !== undefined && belowRoot(wanted)
        : choosePlaces((each) => isOfFolderType(each, folderType, user.userId), folderType === 'shared');
    if (choose || wanted === undefined) return (choose || EVERYWHERE)(readable, await this.content.listTrashed(db));
    const [branch, seen] = [
      await this.content.listBranch(db, [wanted]),
      await this.access.findFolders(db, user, [wanted]),
    ];
    // In a branch the folder itself need not hold anything that is readable, but it must be there for the user.
    const readableIds = new Set(readable.map(({ id }) => id));
    if (!isSeen(seen.get(wanted)) && !branch.some((id) => readableIds.has(id)))
      throw FindErrors.badFolder(folder!.slice(0, 100));
    return { folders: branch };
  }
}

/** The folder of a storage elsewhere that an id names; undefined for anything else. */
function parseAddress(id: string): StorageAddress | undefined {
  try {
    return parseStorageFolderId(id);
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}

const isSeen = (folder: { readonly rights: { readonly folder: number } } | undefined): boolean =>
  folder !== undefined && folder.rights.folder > 0;
