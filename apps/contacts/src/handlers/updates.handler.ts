import { contacts, ContactLimitErrors, jsonText, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseContactFolderId } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';
import { ContactViewRepository } from '../persistence/contact-view.repository';
import { ContactView } from '../views/contact-view';

/**
 * `updates`: what changed since a timestamp, of one moment. Stamps are given in the order of commits, so nothing that is
 * committed later has a stamp below the one that is answered. Others than the owner of a folder whose rights changed are told
 * everything anew, what they may no longer read among the deletions.
 */
@Handles(contacts.updates)
export class UpdatesHandler implements Handler<typeof contacts.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contacts: ContactRepository,
    private readonly view: ContactView,
    private readonly rows: ContactViewRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contacts.updates>) {
    const folderId = parseContactFolderId(query.folder);
    const since = Math.min(Math.max(query.timestamp, 0), Number.MAX_SAFE_INTEGER);
    const most = await this.view.getMaxRows(principal);
    const ignoresDeleted = query.ignore === 'deleted';
    const { changed, gone, rightsStamp } = await this.database.read(
      principal,
      async (db) => {
        const folders = await this.view.findFolders(db, principal, folderId, query.columns);
        const folder = folders.find(({ id }) => id === folderId)!;
        const isOwner = !folder.isPublic && folder.owner === principal.userId;
        const rightsStamp = isOwner ? 0 : await this.contacts.getAccessStamp(db, folderId);
        const rightsChanged = rightsStamp > since;
        const forgotten = ignoresDeleted || since === 0 ? 0 : await this.contacts.getForgottenStamp(db);
        if (since < forgotten) throw ContactLimitErrors.resyncNeeded(folderId, since, forgotten);
        const reader = this.view.toReader(principal, folders, query.timezone);
        const changed = await this.rows.listRows(db, reader, {
          ...query,
          from: 0,
          maxRows: most + 1,
          isPart: false,
          filter: {
            where: 'a.folder_id = $8 and a.last_modified > $9',
            values: [folderId, rightsChanged ? 0 : since],
            folderId,
          },
        });
        const gone = ignoresDeleted
          ? { ids: [], newest: 0 }
          : await this.rows.listGone(db, reader, { folderId, since, rightsChanged, maxRows: most + 1 });
        return { changed, gone, rightsStamp };
      },
      { snapshot: true },
    );
    if (changed.count > most || gone.ids.length > most) throw ContactLimitErrors.tooMany(most);
    const ids = gone.ids.join();
    const separator = changed.count > 0 && gone.ids.length > 0 ? ',' : '';
    return reply<unknown[]>(jsonText(`${changed.rows.slice(0, -1)}${separator}${ids}]`), {
      timestamp: Math.max(since, changed.newest, gone.newest, rightsStamp),
    });
  }
}
