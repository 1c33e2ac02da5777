import { contacts, ContactLimitErrors, type CallOf, type Handler } from '@groupware/contracts';
import { listUpdates } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseContactFolderId } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';
import { ContactViewRepository } from '../persistence/contact-view.repository';
import { ContactView } from '../views/contact-view';

/** `updates`: what changed in a folder since a timestamp, of one moment. */
@Handles(contacts.updates)
export class UpdatesHandler implements Handler<typeof contacts.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contacts: ContactRepository,
    private readonly view: ContactView,
    private readonly rows: ContactViewRepository,
  ) {}

  async handle({ principal: user, query }: CallOf<typeof contacts.updates>) {
    const { timestamp } = query;
    const folderId = parseContactFolderId(query.folder);
    const maxRows = await this.view.getMaxRows(user);
    const read = (db: Reader) =>
      this.view.readInFolders(db, user, { folderId, columns: query.columns }, (folders) => {
        const folder = folders.find(({ id }) => id === folderId)!;
        const reader = this.view.toReader(user, folders, query);
        return listUpdates(
          db,
          { folder, user, timestamp, ignoresDeleted: query.ignore === 'deleted', maxRows },
          {
            stamps: this.contacts,
            listChanged: (since, most) => {
              const where = 'a.folder_id = $8 and a.last_modified > $9';
              const filter = { where, values: [folderId, since], folderId };
              return this.rows.listRows(db, reader, { ...query, filter, from: 0, maxRows: most, isPart: false });
            },
            listGone: (question) => this.rows.listGone(db, reader, question),
            tooMany: ContactLimitErrors.tooMany,
            resyncNeeded: ContactLimitErrors.resyncNeeded,
          },
        );
      });
    // Planning for a stamp costs half of what it takes to find the rows, and always ends at the same index.
    return this.database.read(user, read, { snapshot: true, plans: 'generic' });
  }
}
