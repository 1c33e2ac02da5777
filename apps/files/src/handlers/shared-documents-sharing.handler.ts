import { sharedDocuments, type CallOf, type DocumentSharing, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { DocumentRepository } from '../persistence/document.repository';

/** `sharing`: who has rights on a document itself, and who gave them. */
@Handles(sharedDocuments.sharing)
export class DocumentSharingHandler implements Handler<typeof sharedDocuments.sharing> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof sharedDocuments.sharing>): Promise<DocumentSharing | null> {
    const [document] = await this.database.read(principal, (db) => this.documents.listByIds(db, [query.id]));
    if (!document) return null;
    const { current, folderId, permissions } = document;
    return { folder: folderId, title: current.title ?? current.filename ?? '', permissions };
  }
}
