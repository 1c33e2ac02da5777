import { contactsQuota, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactQuota } from '../contacts/contact-quota';

/** `usage`: the contacts of the context. */
@Handles(contactsQuota.usage)
export class UsageHandler implements Handler<typeof contactsQuota.usage> {
  constructor(private readonly quota: ContactQuota) {}

  handle({ principal }: CallOf<typeof contactsQuota.usage>) {
    return this.quota.getUsage(principal);
  }
}
