import { ContactErrors } from '../contacts/contact.errors';
import { allowCallers, defineModule, Field, internal, requireRights, value } from '../kit';
import { DIRECTORY_RIGHTS } from './directory.access';
import { UserImageUpload, type MailServers } from './provisioning.models';

const FOR_SERVICES = allowCallers('services ask for themselves, and show users no more than these may see');

/** Ids to look up in one tenant. */
export class DirectoryQuery {
  @Field.listOf('int', { doc: 'Ids of users, groups or resources' }) ids!: number[];
}

/** Mail addresses to look up in one tenant. */
export class DirectoryAddressQuery {
  @Field.listOf('text', { doc: 'Mail addresses, case ignored' }) addresses!: string[];
}

/** Keys of cascade properties. */
export class DirectoryPropertyQuery {
  @Field.int({ doc: 'User id; 0 for values of the context', min: 0 }) user!: number;
}

/** A property that a user sets or removes. */
export class DirectoryOwnPropertyQuery {
  @Field.text({ doc: 'Key of a property that users set themselves', maxLength: 256 }) key!: string;
  @Field.text({ doc: 'Its value as text; null removes it', optional: true, maxLength: 1024 }) value?: string | null;
}

/** One property of many users. */
export class DirectoryPropertyOfUsersQuery {
  @Field.text({ doc: 'Key of the property', maxLength: 256 }) key!: string;
  @Field.listOf('int', { doc: 'Ids of users' }) ids!: number[];
}

/** A user, by id or by login name. */
export class DirectoryAccountQuery {
  @Field.int({ doc: 'User id', min: 1, optional: true }) user?: number;
  @Field.text({ doc: 'Login name within the context, case ignored', maxLength: 1024, optional: true }) name?: string;
}

/** A login as people type it. */
export class DirectoryLoginQuery {
  @Field.text({ doc: '<name>@<login mapping>' }) login!: string;
}

/** A reseller by name. */
export class DirectoryResellerQuery {
  @Field.text({ doc: 'Name of the reseller', maxLength: 1024 }) name!: string;
}

/** Attributes a user was sold with: for modules that treat contexts and users differently. */
export interface DirectoryAccount {
  readonly userId: number;
  readonly enabled: boolean;
  readonly contextEnabled: boolean;
  /** Name of the set of module access, while nothing departs from it. */
  readonly accessCombination: string | null;
  readonly taxonomyTypes: readonly string[];
  readonly contextGroup: string;
  /** Name of the reseller of the context. */
  readonly reseller: string | null;
}

/** Data of a user for an address card. */
export interface DirectoryContact {
  readonly id: number;
  readonly title: string | null;
  readonly givenName: string | null;
  readonly surname: string;
  readonly email: string;
  /** When the picture changed, ms UTC; null without one. */
  readonly imageChanged: number | null;
}

/** The person behind a user, for the address book of all users. */
export interface DirectoryPerson {
  readonly userId: number;
  readonly uid: string;
  readonly isAdmin: boolean;
  /** Stamp of the last change, ms UTC. */
  readonly changedAt: number;
  /** Data the person tells of itself, by names of `PersonData`; also `categories`, `color_label`, `default_address`. */
  readonly data: Readonly<Record<string, string | number | null>>;
  /** The picture, where there is one; ms UTC. */
  readonly image: { readonly contentType: string; readonly changedAt: number } | null;
}

/** Changes of the person that asks for them. */
export class PersonChangeQuery {
  @Field.any({ doc: 'What is to change, as PUT user?action=update takes it' }) changes!: Record<string, unknown>;
  @Field.object(() => UserImageUpload, { doc: 'New picture', optional: true }) image?: UserImageUpload;
}

/** A login of a mail server. */
export class DirectoryMailLoginQuery {
  @Field.text({ doc: 'Login as it was provisioned, case ignored', minLength: 1, maxLength: 320 }) login!: string;
}

/** A user as other services see it. */
export interface DirectoryUser {
  readonly kind: 'user';
  readonly id: number;
  /** Login name within the context. */
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
  readonly aliases: readonly string[];
  readonly locale: string;
  readonly timeZone: string;
  /** Group 0 included. */
  readonly groups: readonly number[];
  readonly enabled: boolean;
  readonly isAdmin: boolean;
  readonly capabilities: readonly string[];
  /** Servers set for the primary mail account; absent where none is. */
  readonly mailServers?: MailServers;
}

/** A group with its members. */
export interface DirectoryGroup {
  readonly kind: 'group';
  readonly id: number;
  readonly displayName: string;
  readonly members: readonly number[];
}

/** A resource or room. */
export interface DirectoryResource {
  readonly kind: 'resource';
  readonly id: number;
  readonly displayName: string;
  readonly email: string;
  readonly room: boolean;
  /** Whether it can be booked; absent: yes. */
  readonly available?: boolean;
  /** Entities that may book it; absent or empty: all users. */
  readonly privileges?: readonly {
    readonly entity: number;
    readonly group?: boolean;
    readonly privilege: 'none' | 'ask_to_book' | 'book_directly' | 'delegate';
  }[];
}

/** A person from outside with whom something is shared. */
export interface DirectoryGuest {
  readonly kind: 'guest';
  readonly id: number;
  /** Came by a link: the person is unknown. */
  readonly anonymous: boolean;
  /** Empty for an anonymous guest. */
  readonly displayName: string;
  /** Names that a named guest tells of himself. */
  readonly title?: string;
  readonly givenName?: string;
  readonly surname?: string;
  /** Mail address of a named guest. */
  readonly email?: string;
  /** The folder, or object wherever it is, that the link of an anonymous guest leads to. */
  readonly target?: {
    readonly module: string;
    readonly folder?: number;
    readonly item?: number;
    /** The link opens the folders below its folder, too. */
    readonly includesBelow?: boolean;
  };
  /** User who invited the guest. */
  readonly createdBy: number;
  /** When the guest's access ends, ms UTC. */
  readonly expires?: number;
  /** Contact from which who invited chose the guest. */
  readonly contact?: { readonly id: string; readonly folder: string };
}

/** Group of all users of a context. */
export const ALL_USERS = 0;
/** Group of all guests of a context: virtual, only permission lists name it. */
export const ALL_GUESTS = 2_147_483_647;

/** Anything that has an entity id: users, groups, resources and guests of a context share one number space. */
export type DirectoryEntity = DirectoryUser | DirectoryGroup | DirectoryResource | DirectoryGuest;

/** User whose picture is asked for. */
export class DirectoryPictureQuery {
  @Field.int({ doc: 'User id' }) userId!: number;
}

/** The picture of a user. */
export interface DirectoryPicture {
  readonly contentType: string;
  /** Base64. */
  readonly data: string;
  /** Of the bytes, lower-case hex. */
  readonly sha256: string;
}

/** Questions of other services about people, answered by the identity service. */
export const directory = defineModule(
  'directory',
  {
    entities: internal({
      access: FOR_SERVICES,
      calledBy: 'everyService',
      doc: 'Users, groups, resources and guests by id; unknown ids are left out',
      query: DirectoryQuery,
      reply: value<DirectoryEntity[]>('entities in no particular order'),
      repeatable: true,
    }),
    byAddress: internal({
      access: FOR_SERVICES,
      calledBy: 'everyService',
      doc: 'Users and resources by mail address or alias; unknown ones are left out',
      query: DirectoryAddressQuery,
      reply: value<{ address: string; entity: DirectoryUser | DirectoryResource }[]>('matches'),
      repeatable: true,
    }),
    account: internal({
      access: FOR_SERVICES,
      calledBy: ['admin', 'mail', 'mail-filter'],
      doc: 'What a user and his context were sold as; null for an unknown user or context',
      query: DirectoryAccountQuery,
      reply: value<DirectoryAccount | null>('the account'),
      repeatable: true,
    }),
    knowsReseller: internal({
      access: FOR_SERVICES,
      calledBy: ['admin'],
      doc: 'Whether there is a reseller of that name',
      query: DirectoryResellerQuery,
      reply: value<boolean>('true for a known one'),
      repeatable: true,
    }),
    userOfLogin: internal({
      access: FOR_SERVICES,
      calledBy: ['push'],
      doc: 'Whose login `<name>@<login mapping>` is; null for an unknown one and in disabled contexts',
      query: DirectoryLoginQuery,
      reply: value<{ contextId: number; userId: number } | null>('the user'),
      repeatable: true,
    }),
    contacts: internal({
      access: FOR_SERVICES,
      calledBy: ['admin', 'calendar', 'files', 'folders'],
      doc: 'Who users are, for address cards; unknown ids are left out',
      query: DirectoryQuery,
      reply: value<DirectoryContact[]>('in no particular order'),
      repeatable: true,
    }),
    persons: internal({
      access: FOR_SERVICES,
      calledBy: ['contacts'],
      doc: 'The persons behind users; unknown ids are left out',
      query: DirectoryQuery,
      reply: value<DirectoryPerson[]>('in no particular order'),
      repeatable: true,
    }),
    picture: internal({
      access: FOR_SERVICES,
      calledBy: ['contacts'],
      doc: 'The picture of a user',
      query: DirectoryPictureQuery,
      reply: value<DirectoryPicture | null>('null without one'),
      repeatable: true,
    }),
    changePerson: internal({
      access: requireRights(DIRECTORY_RIGHTS.editPerson),
      calledBy: ['contacts'],
      doc: 'Changes the person of the user on whose behalf it is asked',
      query: PersonChangeQuery,
      reply: value<boolean>('true'),
      errors: [
        ContactErrors.displayNameMissing,
        ContactErrors.displayNameTaken,
        ContactErrors.lastNameMissing,
        ContactErrors.primaryAddressStays,
        ContactErrors.mustNotChange,
        ContactErrors.imageNotAccepted,
        ContactErrors.imageTooLarge,
      ],
    }),
    setOwnProperty: internal({
      access: allowCallers('settings of the user on whose behalf it is asked, as far as users set them themselves'),
      calledBy: ['settings'],
      doc: 'Sets a property for the user on whose behalf it is asked, or removes it',
      query: DirectoryOwnPropertyQuery,
      reply: value<boolean>('true'),
      repeatable: true,
    }),
    usersOfMailLogin: internal({
      access: FOR_SERVICES,
      calledBy: ['admin'],
      doc: 'Users whose mail account was provisioned with a login of its own, over all contexts; without disabled contexts',
      query: DirectoryMailLoginQuery,
      reply: value<{ contextId: number; userId: number }[]>('users, not more than two'),
      repeatable: true,
    }),
    properties: internal({
      access: FOR_SERVICES,
      calledBy: 'everyService',
      doc: 'Values of the configuration cascade set for the context, overridden by those set for the user',
      query: DirectoryPropertyQuery,
      reply: value<Record<string, string>>('text values by key'),
      repeatable: true,
    }),
    propertyOfUsers: internal({
      access: FOR_SERVICES,
      calledBy: 'everyService',
      doc: 'The value of one property for many users: set for the user, else for the context; users without one are left out, null for ids of nobody',
      query: DirectoryPropertyOfUsersQuery,
      reply: value<Record<string, string | null>>('text values by user id'),
      repeatable: true,
    }),
  },
  { service: 'identity' },
);
