import { contactAttachments, ContactErrors, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess, isReadable, parseContactFolderId, requireReads } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';

/** `access`: rights on the files of a contact follow those on the contact. */
@Handles(contactAttachments.access)
export class AttachmentAccessHandler implements Handler<typeof contactAttachments.access> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly contacts: ContactRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contactAttachments.access>): Promise<boolean> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('a question about attachments needs a user');
    if (!user.capabilities.includes('contacts')) throw RequestErrors.noModulePermission('contacts');
    const folderId = parseContactFolderId(String(query.folder));
    return this.database.read(user, async (db) => {
      const folder = await this.access.requireFolder(db, user, folderId);
      requireReads(folder);
      const contact = await this.contacts.findById(db, query.object);
      if (contact?.folderId !== folderId) throw ContactErrors.notFound(query.object, user.contextId);
      if (!isReadable(contact, folder, user)) throw ContactErrors.notReadable(folderId);
      const mayWrite = coversObject(folder.rights.write, contact.createdBy === user.userId);
      if (query.write && !mayWrite) throw ContactErrors.mustNotChange(contact.id);
      return true;
    });
  }
}
