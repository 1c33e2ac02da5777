import { InfostoreErrors, sharedDocuments, type CallOf, type Handler } from '@groupware/contracts';
import { requireModuleUser } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { requireUnchanged } from '../documents/document-checks';
import { DocumentLocks } from '../documents/document-locks';
import { DocumentWriter } from '../documents/document-writer';

/** `update`: writes the rights on a document, also while another user has locked its content. */
@Handles(sharedDocuments.update)
export class UpdateSharedDocumentHandler implements Handler<typeof sharedDocuments.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
    private readonly writer: DocumentWriter,
  ) {}

  handle({ principal, query }: CallOf<typeof sharedDocuments.update>): Promise<number> {
    const user = requireModuleUser(principal, 'infostore');
    const { id, timestamp } = query;
    return this.database.transact(user, async (tx) => {
      const { document, access, state } = await this.locks.lockDocument(tx, user, { id, folder: undefined });
      if (!access.mayShare) throw InfostoreErrors.mustNotWrite(id);
      requireUnchanged(document, timestamp);
      const permissions = query.permissions.map(({ entity, group, bits }) => ({
        ...{ entity, group, bits },
        createdBy:
          document.permissions.find((known) => known.entity === entity && known.group === group)?.createdBy ??
          user.userId,
      }));
      const change = { before: document, after: document, permissions };
      return (await this.writer.update(tx, user.userId, change, state)).lastModified;
    });
  }
}
