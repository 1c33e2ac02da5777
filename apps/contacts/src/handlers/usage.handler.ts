import { contactsQuota, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContactQuota } from '../contacts/contact-quota';
import { ContactRepository } from '../persistence/contact.repository';

/** `usage`: the contacts of the context. */
@Handles(contactsQuota.usage)
export class UsageHandler implements Handler<typeof contactsQuota.usage> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly quota: ContactQuota,
    private readonly contacts: ContactRepository,
  ) {}

  async handle({ principal }: CallOf<typeof contactsQuota.usage>) {
    const [countquota, countuse] = await Promise.all([
      this.quota.getLimit(principal),
      this.database.read(principal, (db) => this.contacts.countContacts(db)),
    ]);
    return [{ account_id: '0', countquota, countuse }];
  }
}
