import { sharedDocuments, type CallOf, type Handler, type SharedDocumentContent } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { StoredFileRepository } from '@groupware/stored-files';
import { OBJECT_BITS, objectBitsOf } from '../domain/document';
import { OPAQUE, resolveDelivery } from '../documents/document-delivery';
import { DocumentRepository } from '../persistence/document.repository';

/** `content`: the bytes of a document that is shared with a guest by itself. */
@Handles(sharedDocuments.content)
export class SharedDocumentContentHandler implements Handler<typeof sharedDocuments.content> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly contents: StoredFileRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof sharedDocuments.content>): Promise<SharedDocumentContent | null> {
    const { id, guest, delivery } = query;
    const found = await this.database.read(principal, async (db) => {
      const [document] = await this.documents.listByIds(db, [id]);
      if (!document || objectBitsOf(document, { userId: guest, groups: [] }) < OBJECT_BITS.read) return undefined;
      const { reference } = document.current;
      const content = reference === null ? undefined : await this.contents.find(db, reference);
      return content && { content, version: document.current, lastModified: document.lastModified };
    });
    if (!found) return null;
    const { content, version, lastModified } = found;
    const name = version.filename ?? '';
    return {
      ...{ name, reference: content.reference, sizeBytes: content.sizeBytes },
      ...resolveDelivery({ delivery }, version.mimeType ?? OPAQUE, name, content.sniffed),
      tag: `${id}-${version.version}-${lastModified}`,
      modified: version.created,
    };
  }
}
