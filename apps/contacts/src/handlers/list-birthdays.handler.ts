import { contactBirthdays, RequestErrors, type CallOf, type ContactBirthday, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContactViewRepository } from '../persistence/contact-view.repository';
import { ContactView } from '../views/contact-view';

/** The birthdays of all contacts that a user may read. */
@Handles(contactBirthdays.list)
export class ListBirthdaysHandler implements Handler<typeof contactBirthdays.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly view: ContactView,
    private readonly contacts: ContactViewRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contactBirthdays.list>): Promise<ContactBirthday[]> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('birthdays are read for users');
    return this.database.read(user, async (db) => {
      const folders = await this.view.findFolders(db, user, undefined, []);
      return this.contacts.listBirthdays(db, this.view.toReader(user, folders), query.limit);
    });
  }
}
