import { MAX_APPOINTMENTS, MAX_ATTACHMENTS_IN_CONTEXT, MAX_CONTACTS, MAX_TASKS } from '@groupware/contracts';

/** Kinds of objects with limits of their own, each with the key of the property its module reads. */
export const QUOTA_ITEMS: Readonly<Record<string, string>> = {
  calendar: MAX_APPOINTMENTS.key,
  contacts: MAX_CONTACTS.key,
  tasks: MAX_TASKS.key,
  attachments: MAX_ATTACHMENTS_IN_CONTEXT.key,
};
