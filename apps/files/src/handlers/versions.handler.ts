import { FileStorageErrors, infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId, SHARED_FILES } from '../domain/document-id';
import { DocumentLocks, seesFormerVersions } from '../documents/document-locks';
import { FolderAccess } from '../folders/folder-access';
import { DocumentViewRepository } from '../persistence/document-view.repository';
import { DocumentView } from '../views/document-view';
import { ExtendedPermissions } from '../views/extended-permissions';
import { isStorageId } from '../storages/storage-id';

/** `versions`: the versions of a document that have a file, as far as the user sees them. */
@Handles(infostore.versions)
export class VersionsHandler implements Handler<typeof infostore.versions> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
    private readonly access: FolderAccess,
    private readonly view: DocumentView,
    private readonly rows: DocumentViewRepository,
    private readonly extended: ExtendedPermissions,
  ) {}

  async handle({ principal, query }: CallOf<typeof infostore.versions>) {
    if (isStorageId(query.id)) throw FileStorageErrors.noVersions(query.id);
    const named = parseDocumentId(query.id, query.folder);
    const { columns, sort, order } = query;
    const { rows, timestamp } = await this.database.read(principal, async (db) => {
      const { document, access } = await this.locks.requireReadable(db, principal, named);
      const onlyCurrent = !seesFormerVersions(principal, access);
      const folders = await this.access.findFolders(db, principal, [document.folderId]);
      const reader = this.view.toReader(principal, [...folders.values()], query.timezone);
      const via = named.folder === SHARED_FILES ? SHARED_FILES : 0;
      return {
        rows: await this.rows.listVersionRows(db, reader, document.id, { columns, sort, order, via, onlyCurrent }),
        timestamp: document.lastModified,
      };
    });
    return reply<unknown[][]>(await this.extended.extendRows(principal, rows, query), { timestamp });
  }
}
