import { ContactErrors, type ContactData } from '@groupware/contracts';
import type { Contact } from './contact';

/** Refuses another unique id or user (CON-0176). */
export function requireUnchangedIdentity(before: Contact, { uid, user_id }: ContactData): void {
  if ((uid && uid !== before.uid) || (user_id && user_id !== before.userId))
    throw ContactErrors.mustNotChange(before.id);
}
