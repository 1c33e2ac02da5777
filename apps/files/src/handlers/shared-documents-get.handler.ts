import {
  InfostoreErrors,
  sharedDocuments,
  type CallOf,
  type Handler,
  type ShareableDocument,
} from '@groupware/contracts';
import { requireModuleUser, TrashRepository } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentLocks } from '../documents/document-locks';
import { parseFileFolderId } from '../folders/folder-access';

/** `get`: a document with the rights on itself, for who shares it. */
@Handles(sharedDocuments.get)
export class GetSharedDocumentHandler implements Handler<typeof sharedDocuments.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
    private readonly trashes: TrashRepository,
  ) {}

  handle({ principal, query }: CallOf<typeof sharedDocuments.get>): Promise<ShareableDocument> {
    const user = requireModuleUser(principal, 'infostore');
    const named = parseDocumentId(query.id, query.folder);
    const folder = parseFileFolderId(query.folder);
    return this.database.read(user, async (db) => {
      const { document, access } = await this.locks.requireReadable(db, user, named);
      const { id, folderId, current, lastModified, permissions } = document;
      if (folderId !== folder || named.folder !== folder) throw InfostoreErrors.notFound(query.id);
      const place = (await this.trashes.listPlaces(db, [folderId])).get(folderId);
      return {
        ...{ id, title: current.title ?? current.filename ?? '', lastModified, permissions },
        ...{ mayShare: access.mayShare, inTrash: place?.inTrash === true },
      };
    });
  }
}
