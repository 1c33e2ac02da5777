import { property } from '../kit';

/** Whether mail addresses are checked. */
export const VALIDATE_EMAIL = property({
  key: 'com.example.contact.validateEmail',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether the mail addresses of contacts must look like one; others give CON-0100.',
});

/** The field whose beginning is compared by searches for a letter. */
export const FIRST_LETTER_FIELD = property({
  key: 'com.example.contact.firstLetterField',
  default: 'last_name',
  values: ['last_name', 'first_name', 'display_name', 'company', 'file_as', 'nickname'],
  scopes: ['user', 'context', 'server'],
  doc: 'The field of contacts that a search with startletter looks at; where it is empty the display name counts.',
});

/** The folders in which addresses are completed. */
export const ALL_FOLDERS_FOR_AUTOCOMPLETE = property({
  key: 'com.example.contacts.allFoldersForAutoComplete',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether completion of addresses without a folder looks into all folders of contacts that the user sees; else into his default folder, the one in which addresses are collected for him, and the address book of all users.',
});

/** Fields whose beginning completes addresses. */
export const AUTOCOMPLETE_FIELDS = property({
  key: 'com.example.contact.autocomplete.fields',
  default: 'GIVEN_NAME, SUR_NAME, DISPLAY_NAME, EMAIL1, EMAIL2, EMAIL3',
  scopes: ['context', 'server'],
  doc: 'Fields of contacts whose beginning completes what a user types, separated by commas: GIVEN_NAME, SUR_NAME, DISPLAY_NAME, EMAIL1, EMAIL2, EMAIL3, TITLE, SUFFIX, MIDDLE_NAME, COMPANY, NICKNAME. The first six have indexes.',
});

/** Whether words within fields complete addresses. */
export const FULLTEXT_AUTOCOMPLETE = property({
  key: 'com.example.contact.fulltextAutocomplete',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether the beginning of any word of a field completes what a user types, instead of the beginning of the field. All contacts of the folders are looked at.',
});

/** Fields whose words complete addresses. */
export const FULLTEXT_FIELDS = property({
  key: 'com.example.contact.fulltextIndexFields',
  default: 'GIVEN_NAME, SUR_NAME, DISPLAY_NAME, EMAIL1, EMAIL2, EMAIL3, TITLE, SUFFIX, MIDDLE_NAME, COMPANY',
  scopes: ['context', 'server'],
  doc: 'Fields of contacts whose words complete what a user types, where com.example.contact.fulltextAutocomplete is on; names as in com.example.contact.autocomplete.fields.',
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
  doc: 'Most contacts of a context, users not counted; a new one beyond gives QUOTA-0003. -1: no limit. Also `items.contacts` of the quota of a context.',
});

/** Most rows of one answer. */
export const MAX_CONTACT_RESULTS = property({
  key: 'com.example.contacts.maxResults',
  default: 100_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most contacts that one answer may hold; more give CONT-0001.',
});

/** Largest picture of a contact. */
export const MAX_CONTACT_IMAGE = property<number>({
  key: 'com.example.contact.maxImageSize',
  default: 4_194_304,
  min: 1024,
  max: 16_777_216,
  scopes: ['server'],
  doc: 'Most bytes of the picture of a contact, as it is sent; more give CON-0172.',
});

/** Whether addresses that no contact has yet become contacts. */
export const COLLECT_ADDRESSES = property({
  key: 'com.example.contactcollector.enabled',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether addresses that no contact has are collected in a folder of the user.',
});

/** Whether addresses of sent mails are collected. */
export const COLLECT_ON_SENDING = property({
  key: 'com.example.contactcollector.onMailTransport',
  default: true,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether the addresses to which a user sends mails are collected, where com.example.contactcollector.enabled is on.',
});

/** Whether addresses of mails that are read are collected. */
export const COLLECT_ON_READING = property({
  key: 'com.example.contactcollector.onMailAccess',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether the addresses of mails that a user reads for the first time are collected, where com.example.contactcollector.enabled is on.',
});

/** Fields in which contacts are searched unless some are named. */
export const CONTACT_SEARCH_FIELD_NAMES = property({
  key: 'com.example.contact.search.fields',
  default:
    'ADDRESS_FIELDS, EMAIL_FIELDS, NAME_FIELDS, PHONE_FIELDS, CATEGORIES, COMPANY, DEPARTMENT, COMMERCIAL_REGISTER, POSITION',
  scopes: ['user', 'context', 'server'],
  doc: 'Fields in which a search by facets looks for a text unless a facet names some, separated by commas: ADDRESS_FIELDS, EMAIL_FIELDS, NAME_FIELDS, PHONE_FIELDS, CATEGORIES, COMPANY, DEPARTMENT, COMMERCIAL_REGISTER, POSITION.',
});

/** Whether names of users tell their department. */
export const SHOW_DEPARTMENTS = property({
  key: 'com.example.contact.showDepartments',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Whether searches by facets show the department beside the names of contacts of the address book of all users.',
});
