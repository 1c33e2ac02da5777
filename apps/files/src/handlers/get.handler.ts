import {
  FileStorageErrors,
  infostore,
  InfostoreErrors,
  reply,
  type CallOf,
  type DocumentData,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { OBJECT_BITS, objectBitsOf } from '../domain/document';
import { parseDocumentId, SHARED_FILES } from '../domain/document-id';
import { parseVersion } from '../documents/version-content';
import { DocumentLocks, requireMayReadVersion } from '../documents/document-locks';
import { FolderAccess } from '../folders/folder-access';
import { DocumentViewRepository } from '../persistence/document-view.repository';
import { DocumentView } from '../views/document-view';
import { ExtendedPermissions } from '../views/extended-permissions';
import { StorageListing } from '../storages/storage-listing';
import { isStorageId } from '../storages/storage-id';

/** `get`: one document, or a version of it. */
@Handles(infostore.get)
export class GetHandler implements Handler<typeof infostore.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
    private readonly access: FolderAccess,
    private readonly view: DocumentView,
    private readonly rows: DocumentViewRepository,
    private readonly extended: ExtendedPermissions,
    private readonly storages: StorageListing,
  ) {}

  async handle(call: CallOf<typeof infostore.get>) {
    const { principal, query, edge } = call;
    if (isStorageId(query.id)) return this.storages.getDocument(call, query.id, query.timezone);
    const named = parseDocumentId(query.id, query.folder);
    const version = query.version === undefined ? undefined : parseVersion(named.id, query.version);
    const { document, data } = await this.database.read(principal, async (db) => {
      const found = await this.locks.requireReadable(db, principal, named);
      requireMayReadVersion(principal, found, version);
      const { document } = found;
      const folders = await this.access.findFolders(db, principal, [document.folderId]);
      const reader = this.view.toReader(principal, [...folders.values()], query.timezone);
      const isShared = objectBitsOf(document, principal) >= OBJECT_BITS.read;
      const via = named.folder === SHARED_FILES && isShared ? SHARED_FILES : 0;
      return { document, data: await this.rows.findData(db, reader, named.id, { via, version }) };
    });
    // Deleted between the two statements.
    if (!data && version === undefined) throw InfostoreErrors.notFound(query.id);
    if (!data) throw FileStorageErrors.noSuchVersion(named.id, version);
    const extended = await this.extended.extendData(principal, data, query, edge);
    return reply<DocumentData>(extended, { timestamp: document.lastModified });
  }
}
