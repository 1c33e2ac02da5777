import {
  FILE_RIGHTS,
  infostore,
  InfostoreErrors,
  reply,
  waiveCheck,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { findDocumentId, isConsistent, SHARED_FILES } from '../domain/document-id';
import { FolderAccess } from '../folders/folder-access';
import { DocumentViewRepository, type DocumentRow } from '../persistence/document-view.repository';
import { DocumentView } from '../views/document-view';
import { ExtendedPermissions } from '../views/extended-permissions';
import { StorageListing } from '../storages/storage-listing';
import { isStorageId } from '../storages/storage-id';

/** `list`: documents by id, in the order asked for; those that are gone or in other folders are left out. */
@Handles(infostore.list)
export class ListHandler implements Handler<typeof infostore.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly view: DocumentView,
    private readonly rows: DocumentViewRepository,
    private readonly extended: ExtendedPermissions,
    private readonly storages: StorageListing,
  ) {}

  async handle(call: CallOf<typeof infostore.list>) {
    const { principal, query, body } = call;
    if (body.length === 0) waiveCheck(FILE_RIGHTS.read, 'nothing is named');
    const elsewhere = await this.storages.listRows(
      call,
      body.flatMap(({ id }) => (isStorageId(id) ? [id] : [])),
      query,
    );
    const references = body.flatMap(({ id, folder }): (string | { id: number; folder: number })[] => {
      if (isStorageId(id)) return elsewhere.has(id) ? [id] : [];
      const named = id === undefined ? undefined : findDocumentId(id, folder);
      return named && isConsistent(named, folder) ? [{ id: named.id, folder: named.folder ?? 0 }] : [];
    });
    const stored = references.filter((reference) => typeof reference !== 'string');
    const found = await this.database.read(principal, async (db) => {
      const reader = this.view.toReader(principal, await this.access.listReadable(db, principal), query.timezone);
      return this.rows.listRowsByIds(db, reader, query.columns, stored);
    });
    const byPlace = new Map(found.map((row) => [`${row.via}/${row.id}`, row]));
    const rows = references.flatMap((reference) => {
      if (typeof reference === 'string') {
        const { cells, lastModified } = elsewhere.get(reference)!;
        return [{ cells: JSON.stringify(cells), lastModified }];
      }
      const { id, folder } = reference;
      const row = byPlace.get(`${folder}/${id}`);
      return row && isMeant(row, folder) ? [row] : [];
    });
    const newest = rows.reduce((latest, { lastModified }) => Math.max(latest, lastModified), 0);
    const text = `[${rows.map(({ cells }) => cells).join()}]`;
    return reply<unknown[][]>(await this.extended.extendRows(principal, text, query), { timestamp: newest });
  }
}

/** Whether a row is in the folder asked for. @throws IFO-0400 when it is not readable there */
function isMeant({ folderId, inFolder, isShared }: DocumentRow, folder: number): boolean {
  if (folder !== 0 && folder !== SHARED_FILES && folder !== folderId) return false;
  if (folder === SHARED_FILES && !isShared && inFolder) return false;
  const isReadable = folder === 0 ? inFolder || isShared : folder === SHARED_FILES ? isShared : inFolder;
  if (!isReadable) throw InfostoreErrors.notReadable(folder || folderId);
  return true;
}
