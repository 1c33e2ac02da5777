import { Injectable } from '@nestjs/common';
import { MAX_CONTACTS } from '@groupware/contracts';
import { ObjectQuota } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { ContactRepository } from '../persistence/contact.repository';

/** Limits the contacts of a context. */
@Injectable()
export class ContactQuota extends ObjectQuota {
  protected readonly limit = MAX_CONTACTS;
  protected readonly module = 'contact';

  constructor(
    properties: Properties,
    database: ModuleDatabase,
    private readonly contacts: ContactRepository,
  ) {
    super(properties, database);
  }

  protected countObjects(db: Reader): Promise<number> {
    return this.contacts.countContacts(db);
  }
}
