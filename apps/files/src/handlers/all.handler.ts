import { infostore, RequestErrors, type CallOf, type FileAllQuery, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { isVirtualFolder, SHARED_FILES } from '../domain/document-id';
import { FolderAccess, parseFileFolderId } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/document.columns';
import { FILTERS } from '../persistence/document-view.repository';
import { DocumentView, type RowRange } from '../views/document-view';
import { StorageListing } from '../storages/storage-listing';
import { isStorageId } from '../storages/storage-id';

/** `all`: the documents of a folder. */
@Handles(infostore.all)
export class AllHandler implements Handler<typeof infostore.all> {
  constructor(
    private readonly view: DocumentView,
    private readonly access: FolderAccess,
    private readonly storages: StorageListing,
  ) {}

  async handle(call: CallOf<typeof infostore.all>) {
    const { principal, query } = call;
    if (isStorageId(query.folder)) return this.storages.listFolder(call, query.folder, query, parseRowRange(query));
    const folderId = parseFileFolderId(query.folder);
    return this.view.list(principal, query, parseRowRange(query), async (db) => {
      if (folderId === SHARED_FILES)
        return { folders: [], filter: { where: FILTERS.shared, values: [] }, viaShared: true };
      if (isVirtualFolder(folderId)) return { folders: [], filter: { where: 'false', values: [] } };
      const folder = await this.access.requireReadable(db, principal, folderId);
      const where = `d.folder_id = $${FIRST_FILTER_PARAMETER} and ${FILTERS.inFolder}`;
      return { folders: [folder], filter: { where, values: [folderId] } };
    });
  }
}

/** The part of a list that is wanted. @throws SVL-0010 when it ends before it begins */
function parseRowRange({ left_hand_limit: left, right_hand_limit: right, limit }: FileAllQuery): RowRange {
  const range = limit === undefined ? {} : parseLimit(limit);
  const from = left ?? range.from ?? 0;
  if (right === undefined) return { from, maxRows: range.maxRows };
  if (right < from) throw RequestErrors.badParameter('right_hand_limit', right);
  return { from, maxRows: Math.min(right - from, range.maxRows ?? right - from) };
}

/** The rows of `<number>` or `<first>,<behind the last>`. @throws SVL-0010 */
function parseLimit(limit: string): Partial<RowRange> {
  const [, first, last] = /^(\d{1,9})(?:\s*,\s*(\d{1,9}))?$/.exec(limit.trim()) ?? [];
  if (first === undefined || (last !== undefined && Number(last) < Number(first)))
    throw RequestErrors.badParameter('limit', limit);
  return last === undefined
    ? { maxRows: Number(first) }
    : { from: Number(first), maxRows: Number(last) - Number(first) };
}
