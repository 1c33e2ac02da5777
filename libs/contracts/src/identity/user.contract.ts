import {
  action,
  allowCallers,
  type BodySpec,
  defineModule,
  Field,
  file,
  json,
  none,
  one,
  page,
  requireRights,
  rows,
  upload,
  value,
} from '../kit';
import { RequestErrors, UploadErrors } from '../edge/edge.errors';
import { PersonData } from './person.model';
import { DirectoryErrors, ImageErrors } from './identity.errors';
import { ContactErrors } from '../contacts/contact.errors';
import { ROW_LIMIT } from '../objects/row-range';
import { PictureQuery } from '../pictures';
import { MAX_USER_IMAGE } from './user-image.properties';
import { DIRECTORY_RIGHTS, PEOPLE_SCOPES } from './directory.access';

/** A user as clients see it: the data of the person, and what belongs to the account. */
export class UserData extends PersonData {
  @Field.id({ column: 1, doc: 'User id', readOnly: true }) id!: string;
  @Field.id({ column: 2, doc: 'Id of the user who created the entry', optional: true, readOnly: true })
  created_by?: string;
  @Field.id({ column: 3, doc: 'Id of the user who changed the entry last', optional: true, readOnly: true })
  modified_by?: string;
  @Field.time({ column: 4, doc: 'Creation', optional: true, readOnly: true }) creation_date?: number;
  @Field.time({ column: 5, doc: 'Last change, which no zone shifts', optional: true, readOnly: true })
  last_modified?: number;
  @Field.timestamp({ column: 6, doc: 'Last change in UTC', optional: true, readOnly: true }) last_modified_utc?: number;
  @Field.id({ column: 20, doc: 'Folder of the entry: the address book of all users', optional: true, readOnly: true })
  folder_id?: string;
  @Field.text({ column: 100, doc: 'Categories, separated by commas', optional: true }) categories?: string;
  @Field.boolean({ column: 101, doc: 'Always false', optional: true, readOnly: true }) private_flag?: boolean;
  @Field.int({ column: 103, doc: 'Colour, 0 to 10', optional: true, min: 0, max: 10 }) color_label?: number;
  @Field.int({ column: 104, doc: 'Number of attachments', optional: true, readOnly: true })
  number_of_attachments?: number;
  @Field.any({ column: 105, doc: 'Not used: null', optional: true, readOnly: true })
  lastModifiedOfNewestAttachmentUTC?: null;
  @Field.any({
    column: 570,
    doc: 'Never in answers: null; the picture is at image1_url',
    optional: true,
    readOnly: true,
  })
  image1?: null;
  @Field.any({ column: 591, doc: 'Not used: null', optional: true, readOnly: true }) number_of_links_list?: null;
  @Field.any({ column: 592, doc: 'Users are no distribution lists: null', optional: true, readOnly: true })
  distribution_list?: null;
  @Field.any({ column: 593, doc: 'Not sent: null', optional: true, readOnly: true }) context_id?: null;
  @Field.any({ column: 595, doc: 'Not used: null', optional: true, readOnly: true }) number_of_links?: null;
  @Field.time({ column: 597, doc: 'When the picture was set', optional: true, readOnly: true })
  image_last_modified?: number;
  @Field.text({ column: 601, doc: 'Media type of the picture', optional: true, readOnly: true })
  image1_content_type?: string;
  @Field.text({
    column: 606,
    doc: 'Path of the picture on this server; needs the cookies of the session',
    optional: true,
    readOnly: true,
  })
  image1_url?: string;
  @Field.any({ column: 607, doc: 'Only for sorting', optional: true, readOnly: true }) special_sorting?: null;
  @Field.any({ column: 609, doc: 'Only for sorting', optional: true, readOnly: true }) useCountGlobalFirst?: null;
  @Field.text({ column: 223, doc: 'Globally unique id', optional: true, readOnly: true }) uid?: string;
  @Field.int({ column: 524, doc: 'User id as number', optional: true, readOnly: true }) user_id?: number;
  @Field.int({ column: 594, doc: 'Size of the distribution list: always 0', optional: true, readOnly: true })
  number_of_distribution_list?: number;
  @Field.int({ column: 596, doc: 'Number of pictures: 0 or 1', optional: true, readOnly: true })
  number_of_images?: number;
  @Field.boolean({ column: 602, doc: 'Always false', optional: true, readOnly: true })
  mark_as_distributionlist?: boolean;
  @Field.int({ column: 605, doc: 'Number of the preferred mail address', optional: true, min: 0, max: 3 })
  default_address?: number;
  @Field.int({ column: 608, doc: 'How often the entry was used', optional: true, readOnly: true }) useCount?: number;
  @Field.listOf('text', { column: 610, doc: 'All mail addresses of the account', optional: true, readOnly: true })
  aliases?: string[];
  @Field.text({ column: 611, doc: 'Time zone, such as Europe/Berlin', optional: true, maxLength: 128 })
  timezone?: string;
  @Field.text({ column: 612, doc: 'Locale, such as en_US', optional: true, maxLength: 64 }) locale?: string;
  @Field.listOf('int', { column: 613, doc: 'Ids of the groups of the user', optional: true, readOnly: true })
  groups?: number[];
  @Field.id({ column: 614, doc: 'Id of the entry in the address book', optional: true, readOnly: true })
  contact_id?: string;
  @Field.text({ column: 615, doc: 'Login name', optional: true, readOnly: true }) login_info?: string;
  @Field.int({ column: 616, doc: 'Who invited this guest; 0 for ordinary users', optional: true, readOnly: true })
  guest_created_by?: number;
}

const USER_ZONE = {
  doc: 'Zone of creation and change times; default: the zone of the user',
  optional: true,
  maxLength: 128,
} as const;

/** Which columns, in which order. */
export class UserListQuery {
  @Field.columns({ doc: 'Column numbers or names of the answer' }) columns!: string[];
  @Field.text(USER_ZONE) timezone?: string;
}

/** Columns and order of all users. */
export class UserAllQuery extends UserListQuery {
  @Field.text({ doc: 'Column to sort by', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({
    doc: 'asc (default) or desc, only together with sort',
    optional: true,
    values: ['asc', 'desc', 'ASC', 'DESC'],
  })
  order?: string;
  @Field.int({ doc: 'First row wanted, from 0', optional: true, min: 0 }) left_hand_limit?: number;
  @Field.int({ doc: 'Row after the last one wanted', optional: true, min: 0 }) right_hand_limit?: number;
  @Field.text(ROW_LIMIT) limit?: string;
}

/** One user. */
export class UserGetQuery {
  @Field.id({ doc: 'User id; default: the user of the session', optional: true }) id?: string;
  @Field.text(USER_ZONE) timezone?: string;
}

/** Criteria of a search. `*` stands for any text, `?` for one character; case is ignored. */
export class UserSearchBody {
  @Field.text({ doc: 'Pattern for the display name', optional: true, maxLength: 1024 }) pattern?: string;
  @Field.boolean({ doc: 'The pattern is a first letter, `.` or `#`: none', optional: true }) startletter?: boolean;
  @Field.text({ doc: 'Pattern for the family name', optional: true, maxLength: 1024 }) last_name?: string;
  @Field.text({ doc: 'Pattern for the given name', optional: true, maxLength: 1024 }) first_name?: string;
  @Field.text({ doc: 'Pattern for the display name', optional: true, maxLength: 1024 }) display_name?: string;
  @Field.text({ doc: 'Pattern for the first mail address', optional: true, maxLength: 1024 }) email1?: string;
  @Field.text({ doc: 'Pattern for the second mail address', optional: true, maxLength: 1024 }) email2?: string;
  @Field.text({ doc: 'Pattern for the third mail address', optional: true, maxLength: 1024 }) email3?: string;
  @Field.boolean({ doc: 'One matching field is enough', optional: true }) orSearch?: boolean;
  @Field.boolean({
    doc: 'As orSearch, fields match by their beginning, and only users with a mail address',
    optional: true,
  })
  emailAutoComplete?: boolean;
}

/** The user to change, as the client knows it. */
export class UserUpdateQuery {
  @Field.id({ doc: 'User id' }) id!: string;
  @Field.timestamp({ doc: 'Stamp of the last change the client knows, ms UTC' }) timestamp!: number;
}

/** Fields of a user that may be changed; what is absent stays, null removes. */
export class UserChanges extends PersonData {
  @Field.text({ doc: 'Categories, separated by commas', optional: true }) categories?: string;
  @Field.int({ doc: 'Colour, 0 to 10', optional: true, min: 0, max: 10 }) color_label?: number;
  @Field.int({ doc: 'Number of the preferred mail address', optional: true, min: 0, max: 3 }) default_address?: number;
  @Field.text({ doc: 'Time zone, such as Europe/Berlin', optional: true, maxLength: 128 }) timezone?: string;
  @Field.text({ doc: 'Locale, such as en_US', optional: true, maxLength: 64 }) locale?: string;
  @Field.text({ doc: 'null or empty removes the picture; POST update brings one', optional: true, maxLength: 0 })
  image1?: string | null;
}

/** The form that brings a picture. */
export class UserImageForm {
  @Field.text({ doc: 'Further changes, an object of JSON as PUT update takes it', optional: true, maxLength: 262_144 })
  json?: string;
  @Field.text({ doc: 'The same', optional: true, maxLength: 262_144 }) json_0?: string;
}

/** An attribute of a user. */
export class UserAttributeQuery {
  @Field.id({ doc: 'User id' }) id!: string;
  @Field.text({ doc: 'Name of the attribute', maxLength: 256 }) name!: string;
}

/** How to set an attribute. */
export class UserAttributeSetQuery {
  @Field.id({ doc: 'User id' }) id!: string;
  @Field.boolean({ doc: 'Leave it alone when it is set already', optional: true }) setIfAbsent?: boolean;
}

/** A free attribute of a user, kept for clients. */
export class UserAttribute {
  @Field.text({ doc: 'Name', minLength: 1, maxLength: 256 }) name!: string;
  @Field.text({ doc: 'Value; absent or null removes the attribute', optional: true, maxLength: 65_536 })
  value?: string | null;
}

/** The user of the session. */
export class CurrentUser {
  @Field.int({ doc: 'Context id' }) context_id!: number;
  @Field.int({ doc: 'User id' }) user_id!: number;
  @Field.int({ doc: 'User id of the administrator of the context' }) context_admin!: number;
  @Field.text({ doc: 'Login name' }) login_name!: string;
  @Field.text({ doc: 'Display name' }) display_name!: string;
}

const me = {
  access: allowCallers('the user of the session only'),
  appScopes: 'any',
  auth: 'session',
  http: 'GET',
  doc: 'Who the user of the session is',
  reply: one(CurrentUser),
} as const;

/** Ids of users, as numbers or texts; null stands for the caller. */
const USER_IDS: BodySpec<unknown[]> = { kind: 'jsonList', required: true, maxItems: 10_000 };

/** Users of the context. */
export const user = defineModule(
  'user',
  {
    get: action({
      access: requireRights(DIRECTORY_RIGHTS.seeUser),
      appScopes: PEOPLE_SCOPES,
      guests: true,
      auth: 'session',
      http: 'GET',
      doc: 'Reads one user, or names and address of a guest whom the user invited; guests themselves, and the name of who invited them',
      query: UserGetQuery,
      reply: one(UserData),
      errors: [DirectoryErrors.userNotFound, RequestErrors.badParameter],
    }),
    list: action({
      access: requireRights(DIRECTORY_RIGHTS.seeUser),
      appScopes: PEOPLE_SCOPES,
      guests: true,
      auth: 'session',
      http: 'PUT',
      doc: 'Reads users by id, null for oneself, and guests whom the user invited; the rows come in the order of the ids. Guests as by get',
      query: UserListQuery,
      body: USER_IDS,
      reply: rows(UserData),
      reads: true,
      errors: [DirectoryErrors.userNotFound, RequestErrors.badParameter],
    }),
    all: action({
      access: requireRights(DIRECTORY_RIGHTS.seeUser),
      appScopes: PEOPLE_SCOPES,
      guests: true,
      auth: 'session',
      http: 'GET',
      doc: 'Lists all users of the context; guests themselves alone',
      query: UserAllQuery,
      reply: rows(UserData),
      errors: [RequestErrors.missingParameter, RequestErrors.badParameter],
    }),
    search: action({
      access: requireRights(DIRECTORY_RIGHTS.seeUser),
      appScopes: PEOPLE_SCOPES,
      auth: 'session',
      http: 'PUT',
      doc: 'Finds users by pattern',
      query: UserAllQuery,
      body: json(UserSearchBody),
      reply: rows(UserData),
      reads: true,
      errors: [RequestErrors.missingParameter, RequestErrors.badParameter],
    }),
    update: action({
      access: requireRights(DIRECTORY_RIGHTS.editPerson),
      guests: true,
      auth: 'session',
      http: 'PUT',
      doc: 'Changes the data of the person, locale and time zone; the own ones, or as administrator of the context. Guests with an address the data of the person',
      query: UserUpdateQuery,
      body: json(UserChanges, { tooLong: ContactErrors.tooLong }),
      reply: none(),
      errors: [
        DirectoryErrors.userNotFound,
        DirectoryErrors.notALocale,
        DirectoryErrors.notATimeZone,
        ContactErrors.displayNameMissing,
        ContactErrors.displayNameTaken,
        ContactErrors.lastNameMissing,
        ContactErrors.primaryAddressStays,
        ContactErrors.mustNotChange,
        ContactErrors.tooLong,
        ContactErrors.badCharacter,
        RequestErrors.noModulePermission,
        RequestErrors.changedInTheMeantime,
      ],
    }),
    updateWithImage: action({
      access: requireRights(DIRECTORY_RIGHTS.editPerson),
      auth: 'session',
      http: 'POST',
      action: 'update',
      doc: 'The same as PUT update, with a new picture: the form has it as `file`, further changes as `json`',
      query: UserUpdateQuery,
      body: upload(UserImageForm, { limit: MAX_USER_IMAGE, maxItems: 1 }),
      reply: page<null>('nothing'),
      errors: [
        DirectoryErrors.userNotFound,
        DirectoryErrors.notALocale,
        DirectoryErrors.notATimeZone,
        RequestErrors.noModulePermission,
        RequestErrors.changedInTheMeantime,
        RequestErrors.missingParameter,
        ContactErrors.mustNotChange,
        ContactErrors.imageNotAccepted,
        ContactErrors.badCharacter,
        UploadErrors.tooLarge,
      ],
    }),
    me: action(me),
    getAttribute: action({
      access: requireRights(DIRECTORY_RIGHTS.readPrivateData),
      auth: 'session',
      http: 'GET',
      doc: 'Reads a free attribute of the user',
      query: UserAttributeQuery,
      reply: one(UserAttribute),
      errors: [DirectoryErrors.userNotFound],
    }),
    setAttribute: action({
      access: requireRights(DIRECTORY_RIGHTS.editPrivateData),
      auth: 'session',
      http: 'PUT',
      doc: 'Sets or removes a free attribute of the user; tells whether it did',
      query: UserAttributeSetQuery,
      body: json(UserAttribute),
      reply: value<boolean>('whether the attribute was set or removed'),
      errors: [DirectoryErrors.userNotFound],
    }),
  },
  { service: 'identity' },
);

/** The module `user/me` has no action. */
export const currentUser = defineModule(
  'user/me',
  {
    me: action({ ...me, action: null }),
  },
  { service: 'identity' },
);

/** User whose picture is asked for. */
export class UserPictureQuery extends PictureQuery {
  @Field.id({ doc: 'User id' }) id!: string;
  @Field.timestamp({ doc: 'When the picture was set, ms UTC: lets browsers keep it', optional: true })
  timestamp?: number;
}

/** Pictures of users, for pages that show them: the public session is enough. */
export const userPicture = defineModule(
  'image/user/picture',
  {
    picture: action({
      access: requireRights(DIRECTORY_RIGHTS.seeUser),
      appScopes: PEOPLE_SCOPES,
      auth: 'session',
      http: 'GET',
      action: null,
      publicSession: true,
      doc: 'The picture of a user',
      query: UserPictureQuery,
      reply: file('image/*'),
      errors: [ImageErrors.notFound],
    }),
  },
  { service: 'identity' },
);
