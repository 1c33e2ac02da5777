import { ContactErrors, contacts, reply, type CallOf, type ContactData, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseContactId } from '../domain/contact-id';
import { isReadable, parseContactFolderId, requireReads } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';
import { ContactViewRepository } from '../persistence/contact-view.repository';
import { ContactView } from '../views/contact-view';

/** `get`: one contact. */
@Handles(contacts.get)
export class GetHandler implements Handler<typeof contacts.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contacts: ContactRepository,
    private readonly view: ContactView,
    private readonly rows: ContactViewRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contacts.get>) {
    const folderId = parseContactFolderId(query.folder);
    const id = parseContactId(query.id, principal.contextId);
    const { contact, data } = await this.database.read(principal, async (db) => {
      const folders = await this.view.findFolders(db, principal, folderId, ['distribution_list']);
      const folder = folders.find((candidate) => candidate.id === folderId)!;
      requireReads(folder);
      const contact = await this.contacts.findById(db, id);
      if (contact?.folderId !== folderId) throw ContactErrors.notFound(id, principal.contextId);
      if (!isReadable(contact, folder, principal)) throw ContactErrors.notReadable(folderId);
      return {
        contact,
        data: await this.rows.findData(db, this.view.toReader(principal, folders, query), id),
      };
    });
    // Deleted between the two statements.
    if (!data) throw ContactErrors.notFound(id, principal.contextId);
    return reply<ContactData>(data, { timestamp: contact.lastModified });
  }
}
