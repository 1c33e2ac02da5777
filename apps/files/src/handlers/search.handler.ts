import {
  infostore,
  InfostoreErrors,
  MIN_SEARCH_LENGTH,
  RequestErrors,
  type CallOf,
  type FileSearchQuery,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ConditionValues, foldCase, toWildcardPattern, type BindValue, type Reader } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { isVirtualFolder, SHARED_FILES } from '../domain/document-id';
import { FolderAccess, parseFileFolderId } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/document.columns';
import { FILTERS, type DocumentFilter } from '../persistence/document-view.repository';
import { FolderContentRepository } from '../persistence/folder-content.repository';
import { StorageListing } from '../storages/storage-listing';
import { isStorageId } from '../storages/storage-id';
import { DocumentView, type ListSource, type RowRange } from '../views/document-view';
import { belowRoot, EVERYWHERE, inPlaces } from '../views/searched-places';

const FIELDS = ['v.title', 'v.filename', 'v.description', 'v.url', 'v.comment', 'd.categories'];

/** `search`: documents by their texts. */
@Handles(infostore.search)
export class SearchHandler implements Handler<typeof infostore.search> {
  constructor(
    private readonly view: DocumentView,
    private readonly access: FolderAccess,
    private readonly content: FolderContentRepository,
    private readonly storages: StorageListing,
    private readonly properties: Properties,
  ) {}

  async handle(call: CallOf<typeof infostore.search>) {
    const { principal, query, body } = call;
    const pattern = (body?.pattern ?? '').trim();
    const shortest = await this.properties.get(MIN_SEARCH_LENGTH, principal);
    if (pattern !== '' && [...pattern.replace(/[*?]/g, '')].length < shortest)
      throw InfostoreErrors.searchTooShort(shortest);
    if (isStorageId(query.folder)) {
      const wanted = { folder: query.folder, pattern, isDeep: query.includeSubfolders === true };
      return this.storages.search(call, wanted, query, parseRange(query));
    }
    return this.view.list(principal, query, parseRange(query), this.toSource(principal, query, pattern));
  }

  private toSource(user: UserPrincipal, query: FileSearchQuery, pattern: string): ListSource {
    const folderId = query.folder ? parseFileFolderId(query.folder) : undefined;
    const isDeep = query.includeSubfolders === true;
    return async (db) => {
      const { values, bind } = new ConditionValues(FIRST_FILTER_PARAMETER);
      const text = matchPattern(pattern, bind);
      const toFilter = (where: string): DocumentFilter => ({ where: `${where} and (${text})`, values });
      if (folderId === SHARED_FILES && !isDeep)
        return { folders: [], filter: toFilter(FILTERS.shared), viaShared: true };
      const readable = await this.access.listReadable(db, user);
      const choose = folderId === undefined ? EVERYWHERE : isDeep ? belowRoot(folderId) : undefined;
      const places = choose
        ? choose(readable, await this.content.listTrashed(db))
        : { folders: await this.listFolders(db, user, folderId!, isDeep) };
      return { folders: readable, filter: toFilter(inPlaces(places, bind)) };
    };
  }

  private async listFolders(db: Reader, user: UserPrincipal, folderId: number, isDeep: boolean): Promise<number[]> {
    if (isVirtualFolder(folderId)) return [];
    // In a branch the folder itself need not hold anything that is readable.
    if (!isDeep) await this.access.requireReadable(db, user, folderId);
    return isDeep ? this.content.listBranch(db, [folderId]) : [folderId];
  }
}

/** The condition for a pattern anywhere in the texts of a document. */
function matchPattern(pattern: string, bind: BindValue): string {
  if (pattern === '' || /^\*+$/.test(pattern)) return 'true';
  // The ends are no part of the pattern: a backslash before them escapes nothing.
  const wanted = foldCase(bind(`%${toWildcardPattern(pattern)}%`, 'text'));
  return FIELDS.map((field) => `${foldCase(field)} like ${wanted}`).join(' or ');
}

/** The part of the result that is wanted: both ends are part of it. @throws SVL-0010 when it ends before it begins */
function parseRange({ start, end, limit }: FileSearchQuery): RowRange {
  const from = start ?? 0;
  if (end === undefined) return { from, maxRows: start === undefined ? limit : undefined };
  if (end < from) throw RequestErrors.badParameter('end', end);
  return { from, maxRows: end - from + 1 };
}
