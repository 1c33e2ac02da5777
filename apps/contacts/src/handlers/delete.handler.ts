import {
  CONTACT_RIGHTS,
  ContactErrors,
  contacts,
  reply,
  waiveCheck,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase, pipeline } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseContactId } from '../domain/contact-id';
import { FolderAccess, requireDeletable } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';
import { ContactWriter } from '../contacts/contact-writer';
import { requireFolderId } from './list.handler';

/** `delete`: of a folder all or none; folders in turn, so that what is gone of an earlier one stays gone. */
@Handles(contacts.delete)
export class DeleteHandler implements Handler<typeof contacts.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly contacts: ContactRepository,
    private readonly writer: ContactWriter,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof contacts.delete>) {
    const byFolder = new Map<number, Set<number>>();
    for (const reference of body) {
      const folderId = requireFolderId(reference);
      const ids = byFolder.get(folderId) ?? new Set<number>();
      byFolder.set(folderId, ids.add(parseContactId(reference.id, principal.contextId)));
    }
    if (byFolder.size === 0) waiveCheck(CONTACT_RIGHTS.remove, 'nothing is named');
    let stamp = 0;
    for (const [folderId, ids] of byFolder)
      stamp = await this.database.transact(principal, async (tx) => {
        const [folders, found] = await pipeline(
          this.access.lockFolders(tx, principal, [folderId]),
          this.contacts.lockByIds(tx, [...ids]),
        );
        const folder = folders.get(folderId)!;
        const byId = new Map(found.map((contact) => [contact.id, contact]));
        for (const id of ids) {
          const contact = byId.get(id);
          if (contact?.folderId !== folderId) throw ContactErrors.notFound(id, principal.contextId);
          requireDeletable(contact, folder, principal);
          if (contact.lastModified > query.timestamp)
            throw ContactErrors.changedInTheMeantime(id, query.timestamp, contact.lastModified);
        }
        return this.writer.remove(tx, principal.userId, found);
      });
    return reply<string[]>([], stamp > 0 ? { timestamp: stamp } : {});
  }
}
