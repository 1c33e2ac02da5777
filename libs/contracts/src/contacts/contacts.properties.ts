import { property } from '../kit';

/** Whether mail addresses are checked. */
export const VALIDATE_EMAIL = property({
  key: 'com.example.contact.validateEmail',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether the mail addresses of contacts must look like one; others give CON-0100.',
});

/** Whether users may change their own contact. */
export const INTERNAL_USER_EDIT = property({
  key: 'com.example.user.enableInternalUserEdit',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether users may change their own contact in the address book of all users.',
});

/** Most contacts of a context. */
export const MAX_CONTACTS = property({
  key: 'com.example.quota.contact',
  default: -1,
  min: -1,
  scopes: ['context', 'server'],
  doc: 'Most contacts of a context, users not counted; a new one beyond gives QUOTA-0003. -1: no limit. Also `items.contact` of the quota of a context.',
});

/** Most rows of one answer. */
export const MAX_CONTACT_RESULTS = property({
  key: 'com.example.contacts.maxResults',
  default: 100_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most contacts that one answer may hold; more give CONT-0001.',
});
