import { infostore, parseRowRange, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { isVirtualFolder, SHARED_FILES } from '../domain/document-id';
import { FolderAccess, parseFileFolderId } from '../folders/folder-access';
import { FIRST_FILTER_PARAMETER } from '../persistence/document.columns';
import { FILTERS } from '../persistence/document-view.repository';
import { DocumentView } from '../views/document-view';
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
    const range = parseRowRange(query, Infinity);
    if (isStorageId(query.folder)) return this.storages.listFolder(call, query.folder, query, range);
    const folderId = parseFileFolderId(query.folder);
    return this.view.list(principal, query, range, async (db) => {
      if (folderId === SHARED_FILES)
        return { folders: [], filter: { where: FILTERS.shared, values: [] }, viaShared: true };
      if (isVirtualFolder(folderId)) return { folders: [], filter: { where: 'false', values: [] } };
      const folder = await this.access.requireReadable(db, principal, folderId);
      const where = `d.folder_id = $${FIRST_FILTER_PARAMETER} and ${FILTERS.inFolder}`;
      return { folders: [folder], filter: { where, values: [folderId] } };
    });
  }
}
