import { MAX_CONTACTS } from '@groupware/contracts';
import { objectQuota } from '@groupware/folders';
import { ContactRepository } from '../persistence/contact.repository';

/** Limits the contacts of a context. */
export class ContactQuota extends objectQuota({
  limit: MAX_CONTACTS,
  module: 'contact',
  repository: ContactRepository,
}) {}
