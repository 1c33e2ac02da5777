import { Injectable } from '@nestjs/common';
import { MAX_CONTACTS, QuotaErrors, type Tenant } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { ContactRepository } from '../persistence/contact.repository';

/** Limits the contacts of a context. */
@Injectable()
export class ContactQuota {
  constructor(
    private readonly properties: Properties,
    private readonly contacts: ContactRepository,
  ) {}

  /** Most contacts of the context, below zero without limit. May ask other services: use it before a transaction. */
  getLimit({ contextId }: Tenant): Promise<number> {
    return this.properties.get(MAX_CONTACTS, { contextId });
  }

  /** Refuses contacts that the transaction has created already. @throws QUOTA-0003 */
  async requireRoomFor(tx: Transaction, created: number, limit: number): Promise<void> {
    if (created === 0 || limit < 0) return;
    const used = await this.contacts.countContacts(tx);
    if (used > limit) throw QuotaErrors.exceeded('contact', used - created, limit);
  }
}
