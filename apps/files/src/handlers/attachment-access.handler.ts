import { documentAttachments, InfostoreErrors, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { DocumentLocks } from '../documents/document-locks';
import { SHARED_FILES } from '../domain/document-id';

/** `access`: answers true to readers of a document, which carries no files; attaching is refused. */
@Handles(documentAttachments.access)
export class AttachmentAccessHandler implements Handler<typeof documentAttachments.access> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
  ) {}

  async handle({ principal, query }: CallOf<typeof documentAttachments.access>): Promise<boolean> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('a question about attachments needs a user');
    if (!user.capabilities.includes('infostore')) throw RequestErrors.noModulePermission('infostore');
    const { object: id, folder, write } = query;
    const { document } = await this.database.read(user, (db) => this.locks.requireReadable(db, user, { id, folder }));
    if (![document.folderId, SHARED_FILES].includes(folder)) throw InfostoreErrors.notFound(id);
    if (write) throw InfostoreErrors.mustNotWrite(id);
    return true;
  }
}
