import {
  contacts,
  findObjectNumber,
  jsonText,
  reply,
  RequestErrors,
  type CallOf,
  type ContactReference,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess, parseContactFolderId, requireReads } from '../folders/folder-access';
import { ContactViewRepository } from '../persistence/contact-view.repository';
import { ContactView } from '../views/contact-view';

/** The folder of a reference under either name. @throws SVL-0002 */
export function requireFolderId({ folder, folder_id }: ContactReference): number {
  const id = folder ?? folder_id;
  if (id === undefined) throw RequestErrors.missingParameter('folder');
  return parseContactFolderId(id);
}

/** `list`: contacts by id, in the order asked for. */
@Handles(contacts.list)
export class ListHandler implements Handler<typeof contacts.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly view: ContactView,
    private readonly rows: ContactViewRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof contacts.list>) {
    const references = body.flatMap((reference) => {
      const folderId = requireFolderId(reference);
      const id = findObjectNumber(reference.id);
      return id === undefined ? [] : [{ id, folderId }];
    });
    const found = await this.database.read(principal, async (db) => {
      const folders = await this.access.listVisible(db, principal);
      const byId = new Map(folders.map((folder) => [folder.id, folder]));
      for (const id of new Set(references.map(({ folderId }) => folderId)))
        requireReads(byId.get(id) ?? (await this.access.requireFolder(db, principal, id)));
      return this.rows.listRowsByIds(db, this.view.toReader(principal, folders, query), query.columns, references);
    });
    const byId = new Map(found.map((row) => [row.id, row]));
    const rows = references.flatMap(({ id, folderId }) => {
      const row = byId.get(id);
      return row?.folderId === folderId ? [row] : [];
    });
    const newest = rows.reduce((latest, { lastModified }) => Math.max(latest, lastModified), 0);
    return reply<unknown[][]>(jsonText(`[${rows.map(({ cells }) => cells).join()}]`), { timestamp: newest });
  }
}
