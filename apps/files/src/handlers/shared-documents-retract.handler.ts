import { sharedDocuments, type CallOf, type Handler } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { listGrantees } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { DocumentWriter } from '../documents/document-writer';
import { DocumentRepository } from '../persistence/document.repository';

/** `retract`: takes away the rights that a share gave on a document, for operators. */
@Handles(sharedDocuments.retract)
export class RetractDocumentHandler implements Handler<typeof sharedDocuments.retract> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly writer: DocumentWriter,
    private readonly directory: Directory,
  ) {}

  async handle({ principal, query }: CallOf<typeof sharedDocuments.retract>): Promise<boolean> {
    const id = Number(query.item);
    const [found] = await this.database.read(principal, (db) => this.documents.listByIds(db, [id]));
    if (!found) return false;
    const entities = await listGrantees(this.directory, principal, found.permissions, query);
    return this.database.transact(principal, async (tx) => {
      const state = await this.writer.lockContext(tx);
      const [document] = await this.documents.listByIds(tx, [id]);
      if (!document) return false;
      const permissions = document.permissions.filter(
        ({ entity, group }) => group !== query.group || !entities.includes(entity),
      );
      if (permissions.length === document.permissions.length) return false;
      const change = { before: document, after: document, permissions };
      await this.writer.update(tx, document.modifiedBy, change, state);
      return true;
    });
  }
}
