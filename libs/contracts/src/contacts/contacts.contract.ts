import { RequestErrors } from '../edge/edge.errors';
import { FolderErrors } from '../folders/folder.errors';
import {
  action,
  defineModule,
  Field,
  json,
  jsonListOf,
  jsonOneOrList,
  one,
  page,
  requireRights,
  rows,
  upload,
  value,
} from '../kit';
import { ROW_LIMIT } from '../objects/row-range';
import { QuotaErrors } from '../quota/quota.errors';
import { SearchErrors } from '../search/search.errors';
import { CONTACT_RIGHTS } from './contact.access';
import { ContactErrors, ContactLimitErrors } from './contact.errors';
import { ContactData, limitOfContactText } from './contact.model';

/** How contacts are answered. */
export class ContactShapeQuery {
  @Field.text({
    doc: 'Zone of creation and change times; default: the zone of the user',
    optional: true,
    maxLength: 128,
  })
  timezone?: string;
  @Field.boolean({
    doc: 'Folders are answered with their account, `con://0/6`, as calls of the module addressbooks have them; default: false',
    optional: true,
  })
  accountIds?: boolean;
}

/** Columns of an answer. */
export class ContactColumnsQuery extends ContactShapeQuery {
  @Field.columns({ doc: 'Column numbers of the answer, or all, or list; unknown numbers are answered with null' })
  columns!: string[];
}

/** Columns, order and part of a list. */
export class ContactOrderQuery extends ContactColumnsQuery {
  @Field.text({
    doc: 'Column to sort by; 607 or absent: by name, as people expect it; 608: use count; 609: the most used first, users first',
    optional: true,
    maxLength: 64,
  })
  sort?: string;
  @Field.text({
    doc: 'asc (default) or desc; 607 and 609 ignore it',
    optional: true,
    values: ['asc', 'desc', 'ASC', 'DESC'],
  })
  order?: string;
  @Field.text({ doc: 'Chinese order of the column of sort', optional: true, values: ['gbk', 'gb2312'] })
  collation?: string;
  @Field.boolean({ doc: 'false leaves out the contact of the administrator of the context', optional: true })
  admin?: boolean;
  @Field.boolean({ doc: 'true leaves out the contact of the administrator, whatever admin says', optional: true })
  exclude_admin?: boolean;
  @Field.int({ doc: 'First row wanted, from 0', optional: true, min: 0 }) left_hand_limit?: number;
  @Field.int({ doc: 'Row after the last one wanted', optional: true, min: 0 }) right_hand_limit?: number;
  @Field.text(ROW_LIMIT) limit?: string;
}

/** The contacts of a folder. */
export class ContactAllQuery extends ContactOrderQuery {
  @Field.id({ doc: 'Folder; default: all that the user sees', optional: true }) folder?: string;
}

/** One contact. */
export class ContactQuery extends ContactShapeQuery {
  @Field.id({ doc: 'Contact' }) id!: string;
  @Field.id({ doc: 'Folder of the contact' }) folder!: string;
}

/** Names a contact. */
export class ContactReference {
  @Field.id({ doc: 'Contact' }) id!: string;
  @Field.id({ doc: 'Folder of the contact', optional: true }) folder?: string;
  @Field.id({ doc: 'Other spelling of folder', optional: true }) folder_id?: string;
}

/** Criteria of a search, the older form. All given fields must match; `*` stands for any text, `?` for one character. */
export class ContactSearchBody {
  @Field.text({ doc: 'Beginning of the display name; `*`: any', optional: true, maxLength: 1024 }) pattern?: string;
  @Field.boolean({ doc: 'The pattern is a first letter, `.` or `#`: none', optional: true }) startletter?: boolean;
  @Field.any({ doc: 'Folder, or a list of folders', optional: true }) folder?: unknown;
  @Field.listOf('id', { doc: 'Folders that are left out', optional: true, maxItems: 1_000 }) exclude_folders?: string[];
  @Field.text({ doc: 'Last name', optional: true, maxLength: 1024 }) last_name?: string;
  @Field.text({ doc: 'First name', optional: true, maxLength: 1024 }) first_name?: string;
  @Field.text({ doc: 'Display name', optional: true, maxLength: 1024 }) display_name?: string;
  @Field.text({ doc: 'First mail address', optional: true, maxLength: 1024 }) email1?: string;
  @Field.text({ doc: 'Second mail address', optional: true, maxLength: 1024 }) email2?: string;
  @Field.text({ doc: 'Third mail address', optional: true, maxLength: 1024 }) email3?: string;
  @Field.text({ doc: 'Company', optional: true, maxLength: 1024 }) company?: string;
  @Field.text({ doc: 'Categories', optional: true, maxLength: 1024 }) categories?: string;
  @Field.text({ doc: 'Department', optional: true, maxLength: 1024 }) department?: string;
  @Field.text({ doc: 'Business street', optional: true, maxLength: 1024 }) street_business?: string;
  @Field.text({ doc: 'Business city', optional: true, maxLength: 1024 }) city_business?: string;
  @Field.text({ doc: 'First name as it is read aloud', optional: true, maxLength: 1024 }) yomiFirstName?: string;
  @Field.text({ doc: 'Last name as it is read aloud', optional: true, maxLength: 1024 }) yomiLastName?: string;
  @Field.text({ doc: 'Company as it is read aloud', optional: true, maxLength: 1024 }) yomiCompany?: string;
  @Field.boolean({ doc: 'One matching field is enough', optional: true }) orSearch?: boolean;
  @Field.boolean({
    doc: 'As orSearch, fields match by their beginning, and only contacts with an address or members',
    optional: true,
  })
  emailAutoComplete?: boolean;
  @Field.boolean({ doc: 'Case and accents count, and there are no wildcards', optional: true }) exactMatch?: boolean;
  @Field.any({ doc: 'Refused', optional: true }) anniversaryrange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) birthdayrange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) businesspostalcoderange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) creationdaterange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) dynamicsearchfield?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) dynamicsearchfieldvalue?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) lastmodifiedrange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) numberofemployeesrange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) otherpostalcoderange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) privatepostalcoderange?: unknown;
  @Field.any({ doc: 'Refused', optional: true }) salesvolumerange?: unknown;
}

/** Criteria of old descriptions that were never supported: a search that left them out would find too much. */
export const UNSUPPORTED_CRITERIA = [
  'anniversaryrange',
  'birthdayrange',
  'businesspostalcoderange',
  'creationdaterange',
  'dynamicsearchfield',
  'dynamicsearchfieldvalue',
  'lastmodifiedrange',
  'numberofemployeesrange',
  'otherpostalcoderange',
  'privatepostalcoderange',
  'salesvolumerange',
] as const satisfies readonly (keyof ContactSearchBody)[];

/** A search term. */
export class ContactTermBody {
  @Field.any({
    doc: 'Term: `["and" | "or", term …]`, `["not", term]`, `["isNull", {"field": name}]`, or `["=" | "<>" | "<" | ">" | "<=" | ">=", {"field": name}, value]`',
  })
  filter!: unknown;
}

/** The text to complete to an address. */
export class ContactAutocompleteQuery extends ContactOrderQuery {
  @Field.text({ doc: 'Words, each the beginning of a name or address; quotes keep words together', maxLength: 1024 })
  query!: string;
  @Field.boolean({ doc: 'false also answers contacts without address; default: true', optional: true }) email?: boolean;
  @Field.id({ doc: 'Folder; default: all that the user sees', optional: true }) folder?: string;
}

/** Days of any year. */
export class ContactDaysQuery extends ContactOrderQuery {
  @Field.date({ doc: 'First day, midnight UTC' }) start!: number;
  @Field.date({ doc: 'Day after the last one, midnight UTC' }) end!: number;
  @Field.id({ doc: 'Folder; default: all that the user sees', optional: true }) folder?: string;
}

/** The contact of a user. */
export class ContactUserQuery extends ContactShapeQuery {
  @Field.int({ doc: 'User id', min: 0 }) id!: number;
}

/** A request for the changes of a folder. */
export class ContactUpdatesQuery extends ContactColumnsQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.timestamp({ doc: 'Stamp of the newest change that the client knows' }) timestamp!: number;
  @Field.text({ doc: 'deleted leaves out the ids of deleted contacts', optional: true, maxLength: 64 })
  ignore?: string;
  @Field.text({ doc: 'Column to sort by', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({ doc: 'asc (default) or desc', optional: true, values: ['asc', 'desc', 'ASC', 'DESC'] }) order?: string;
}

/** Which contact to change. */
export class ContactUpdateQuery {
  @Field.id({ doc: 'Contact' }) id!: string;
  @Field.id({ doc: 'Folder of the contact' }) folder!: string;
  @Field.timestamp({ doc: 'Timestamp of the contact as the client knows it' }) timestamp!: number;
}

/** The form that brings a picture. */
export class ContactImageForm {
  @Field.text({ doc: 'The contact, an object of JSON as PUT takes it', optional: true, maxLength: 4_194_304 })
  json?: string;
  @Field.text({ doc: 'The same', optional: true, maxLength: 4_194_304 }) json_0?: string;
}

/** The state in which the client knows the contacts to delete. */
export class ContactDeletionQuery {
  @Field.timestamp({ doc: 'Contacts changed later are not deleted' }) timestamp!: number;
}

/** The contact that was written. */
export class ContactId {
  @Field.id({ doc: 'Contact' }) id!: string;
}

const inFolder = [ContactErrors.notContacts, ContactErrors.notReadable, FolderErrors.notFound, FolderErrors.badId];
const ofList = [RequestErrors.badParameter, ContactLimitErrors.tooMany];
const ofContent = [
  ContactErrors.badAddress,
  ContactErrors.tooLong,
  ContactErrors.badCharacter,
  ContactErrors.privateNotHere,
  ContactErrors.memberWithoutAddress,
  ContactErrors.mustNotChange,
  ContactErrors.mustNotCreate,
];
/** Errors of a picture within the object, and of one in a form. */
const ofInlineImage = [ContactErrors.imageNotAccepted];
const ofImage = [RequestErrors.imageMissing, RequestErrors.noImage, ContactErrors.imageTooLarge];
const ofOwnContact = [
  ContactErrors.firstNameMissing,
  ContactErrors.lastNameMissing,
  ContactErrors.displayNameMissing,
  ContactErrors.displayNameTaken,
  ContactErrors.primaryAddressStays,
];

/** Contacts. */
export const contacts = defineModule('contacts', {
  all: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    guests: true,
    http: 'GET',
    doc: 'Lists the contacts of a folder, by name unless asked otherwise',
    query: ContactAllQuery,
    reply: rows(ContactData),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofList],
  }),
  get: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    guests: true,
    http: 'GET',
    doc: 'Reads one contact',
    query: ContactQuery,
    reply: one(ContactData),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ContactErrors.notFound],
  }),
  list: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    guests: true,
    http: 'PUT',
    doc: 'Reads contacts by id; rows in the order asked for, missing ones left out',
    query: ContactColumnsQuery,
    body: jsonOneOrList(ContactReference),
    reply: rows(ContactData),
    reads: true,
    auth: 'session',
    capability: 'contacts',
    errors: inFolder,
  }),
  getuser: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    http: 'GET',
    doc: 'Reads the contact of a user; without the address book of all users names and address only',
    query: ContactUserQuery,
    reply: one(ContactData),
    auth: 'session',
    capability: 'contacts',
    errors: [ContactErrors.notFound],
  }),
  listuser: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    http: 'PUT',
    doc: 'Reads the contacts of users in the order asked for, unknown ones left out; as getuser',
    query: ContactColumnsQuery,
    body: jsonListOf<number>('int'),
    reply: rows(ContactData),
    reads: true,
    auth: 'session',
    capability: 'contacts',
    errors: [RequestErrors.badParameter],
  }),
  updates: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    guests: true,
    http: 'GET',
    doc: 'Tells what changed in a folder since a timestamp: rows, then the ids of deleted contacts',
    query: ContactUpdatesQuery,
    reply: value<unknown[]>('rows by columns, then ids of deleted contacts'),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofList, ContactLimitErrors.resyncNeeded],
  }),
  search: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    guests: true,
    http: 'PUT',
    doc: 'Finds contacts by fields, the older form',
    query: ContactOrderQuery,
    body: json(ContactSearchBody),
    reply: rows(ContactData),
    reads: true,
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofList, ContactErrors.searchTooShort],
  }),
  advancedSearch: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    guests: true,
    http: 'PUT',
    doc: 'Finds contacts by a term',
    query: ContactOrderQuery,
    body: json(ContactTermBody),
    reply: rows(ContactData),
    reads: true,
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofList, ...Object.values(SearchErrors), RequestErrors.missingParameter],
  }),
  autocomplete: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    http: 'GET',
    doc: 'Completes names and addresses, those that the user used most first',
    query: ContactAutocompleteQuery,
    reply: rows(ContactData),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofList, ContactErrors.searchTooShort],
  }),
  birthdays: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    http: 'GET',
    doc: 'Lists contacts with a birthday on some days, whatever the year; the next one first',
    query: ContactDaysQuery,
    reply: rows(ContactData),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofList],
  }),
  anniversaries: action({
    access: requireRights(CONTACT_RIGHTS.read),
    appScopes: ['read_contacts'],
    http: 'GET',
    doc: 'Lists contacts with an anniversary on some days, whatever the year; the next one first',
    query: ContactDaysQuery,
    reply: rows(ContactData),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofList],
  }),
  new: action({
    access: requireRights(CONTACT_RIGHTS.create),
    appScopes: ['write_contacts'],
    http: 'PUT',
    doc: 'Creates a contact or a distribution list',
    body: json(ContactData, { tooLong: ContactErrors.tooLong, textLimit: limitOfContactText }),
    reply: one(ContactId),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofContent, ...ofInlineImage, RequestErrors.missingParameter, QuotaErrors.exceeded],
  }),
  update: action({
    access: requireRights(CONTACT_RIGHTS.write),
    appScopes: ['write_contacts'],
    http: 'PUT',
    doc: 'Changes a contact; another folder_id in the body moves it',
    query: ContactUpdateQuery,
    body: json(ContactData, { tooLong: ContactErrors.tooLong, textLimit: limitOfContactText }),
    reply: one(ContactId),
    auth: 'session',
    capability: 'contacts',
    errors: [
      ...inFolder,
      ...ofContent,
      ...ofInlineImage,
      ...ofOwnContact,
      ContactErrors.notFound,
      ContactErrors.wrongFolder,
      ContactErrors.changedInTheMeantime,
      ContactErrors.mustNotDelete,
    ],
  }),
  newWithImage: action({
    access: requireRights(CONTACT_RIGHTS.create),
    appScopes: ['write_contacts'],
    http: 'POST',
    action: 'new',
    doc: 'Creates a contact with a picture: the form has the contact as `json` and the picture as `file`',
    body: upload(ContactImageForm, { maxItems: 1 }),
    reply: page<ContactId>('the new contact'),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ...ofContent, ...ofImage, RequestErrors.missingParameter, QuotaErrors.exceeded],
  }),
  updateWithImage: action({
    access: requireRights(CONTACT_RIGHTS.write),
    appScopes: ['write_contacts'],
    http: 'POST',
    action: 'update',
    doc: 'The same as PUT update, with a new picture: the form has it as `file`, further changes as `json`',
    query: ContactUpdateQuery,
    body: upload(ContactImageForm, { maxItems: 1 }),
    reply: page<ContactId>('the contact'),
    auth: 'session',
    capability: 'contacts',
    errors: [
      ...inFolder,
      ...ofContent,
      ...ofImage,
      ContactErrors.notFound,
      ContactErrors.wrongFolder,
      ContactErrors.changedInTheMeantime,
    ],
  }),
  delete: action({
    access: requireRights(CONTACT_RIGHTS.remove),
    appScopes: ['write_contacts'],
    http: 'PUT',
    doc: 'Deletes contacts; of a folder all or none',
    query: ContactDeletionQuery,
    body: jsonOneOrList(ContactReference),
    reply: value<string[]>('an empty list'),
    auth: 'session',
    capability: 'contacts',
    errors: [...inFolder, ContactErrors.notFound, ContactErrors.changedInTheMeantime, ContactErrors.mustNotDelete],
  }),
});
