import {
  contactIdOfUser,
  contacts,
  jsonText,
  reply,
  SYSTEM_FOLDERS,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import type { ObjectRow } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { findGlobalAddressBook } from '../folders/folder-access';
import { expandColumns, fieldOfColumn } from '../persistence/contact.columns';
import { ContactViewRepository } from '../persistence/contact-view.repository';
import { isShownOf, UserContactReader } from '../users/user-contact-reader';
import { ContactView } from '../views/contact-view';

const MAX_USER_ID = 2 ** 30 - 1;

/** `listuser`: contacts of users, in the order asked for. */
@Handles(contacts.listuser)
export class ListuserHandler implements Handler<typeof contacts.listuser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserContactReader,
    private readonly view: ContactView,
    private readonly rows: ContactViewRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof contacts.listuser>) {
    const columns = expandColumns(query.columns);
    const userIds = body.filter((id) => id > 0 && id <= MAX_USER_ID);
    await this.users.ensureContacts(principal, [...new Set(userIds)]);
    const folderId = SYSTEM_FOLDERS.globalAddressBook;
    const reader = this.view.toReader(principal, [findGlobalAddressBook(principal)], query);
    // Contacts of all users are read, and told as far as their reader may know.
    const everybody = { ...reader, readable: { all: [folderId], own: [], owned: [] } };
    const references = userIds.map((userId) => ({ id: contactIdOfUser(userId), folderId }));
    const found = await this.database.read(principal, (db) =>
      this.rows.listRowsByIds(db, everybody, columns, references),
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    const rows = userIds.flatMap((userId) => {
      const row = byId.get(contactIdOfUser(userId));
      return row ? [{ userId, row }] : [];
    });
    const shown = rows.map(({ userId, row }) => {
      const hidden = columns.map((column) => !isShownOf(principal, userId, fieldOfColumn(column)));
      return hidden.includes(true) ? withoutCells(row, hidden) : row.cells;
    });
    const newest = rows.reduce((latest, { row }) => Math.max(latest, row.lastModified), 0);
    return reply<unknown[][]>(jsonText(`[${shown.join()}]`), { timestamp: newest });
  }
}

const withoutCells = ({ cells }: ObjectRow, hidden: readonly boolean[]): string =>
  JSON.stringify((JSON.parse(cells) as unknown[]).map((cell, index) => (hidden[index] ? null : cell)));
