import { allowCallers, ANY_TIME, defineModule, Field, internal, value } from '../kit';

const BY_FOLDER = allowCallers(
  'the folders or files service asks for a folder or object that its owner has let the user see or share, the mail service for what the user sent',
);

/** Target of a link: a folder, or an object wherever it is. */
export class GuestTarget {
  @Field.text({ doc: 'Module of the folder or object', minLength: 1, maxLength: 64 }) module!: string;
  @Field.int({ doc: 'Folder id; absent for an object', min: 0, optional: true }) folder?: number;
  @Field.int({ doc: 'Id of the object', min: 1, optional: true }) item?: number;
}

/** A link to make. */
export class NewGuestLink extends GuestTarget {
  @Field.text({ doc: 'Pin, which is kept as a hash, and sealed', optional: true, writeOnly: true, maxLength: 4096 })
  password?: string;
  @Field.int({ doc: 'When it ends, ms UTC', optional: true, ...ANY_TIME }) expires?: number;
}

/** Changes to a link; absent fields stay, null removes. */
export class GuestLinkChange {
  @Field.int({ doc: 'Guest id', min: 1 }) id!: number;
  @Field.text({ doc: 'Pin', optional: true, writeOnly: true, maxLength: 4096 }) password?: string | null;
  @Field.int({ doc: 'When it ends, ms UTC', optional: true, ...ANY_TIME }) expires?: number | null;
  @Field.any({ doc: 'Data of clients, an object', optional: true }) meta?: Record<string, unknown> | null;
  @Field.boolean({ doc: 'It opens the folders below its folder, too', optional: true }) includesBelow?: boolean;
  @Field.timestamp({ doc: 'Stamp of the link as it is known; one that changed since is left alone', optional: true })
  known?: number;
}

/** The contact from which a guest was chosen. */
export class GuestContact {
  @Field.text({ doc: 'Contact id', minLength: 1, maxLength: 64 }) id!: string;
  @Field.text({ doc: 'Its folder', minLength: 1, maxLength: 64 }) folder!: string;
}

/** A person to invite. */
export class GuestInvitation {
  @Field.text({ doc: 'Mail address', maxLength: 320 }) email!: string;
  @Field.text({ doc: 'Name; default: the address', optional: true, maxLength: 256 }) displayName?: string;
  @Field.object(() => GuestContact, { doc: 'Where the person was chosen', optional: true }) contact?: GuestContact;
}

/** A named guest, as who invited needs to know. */
export interface InvitedGuest {
  readonly id: number;
  readonly isNew: boolean;
}

/** Token that opens the shares of a guest. */
export interface GuestToken {
  readonly id: number;
  readonly token: string;
  /** Null for the guest of a link. */
  readonly email: string | null;
  readonly displayName: string;
  /** Pin of a link, for users who may share; absent without one, and for links of a time when only hashes were kept. */
  readonly password?: string;
}

/** Guests by id. */
export class GuestIds {
  @Field.listOf('int', { doc: 'Guest ids' }) ids!: number[];
}

/** Guests who may have lost what was shared with them. */
export class GuestWithdrawal {
  @Field.listOf('int', { doc: 'Ids of users and guests' }) entities!: number[];
  @Field.int({ doc: 'Stamp of the change, ms UTC', ...ANY_TIME }) stamp!: number;
}

/** A link as its owner may see it. */
export interface GuestLink {
  /** Entity of the anonymous guest who comes by it. */
  readonly id: number;
  /** User who made it. */
  readonly createdBy: number;
  readonly token: string;
  /** Pin; absent without one, and for links of a time when only hashes were kept. */
  readonly password?: string;
  /** ms UTC */
  readonly expires: number | null;
  /** Stamp of the last change, ms UTC. */
  readonly changed: number;
  /** Data of clients about it. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** It opens the folders below its folder, too. */
  readonly includesBelow: boolean;
}

/** Guests of a context, kept by the identity service. The user in the principal is the one who shares. */
export const guests = defineModule(
  'guests',
  {
    link: internal({
      access: BY_FOLDER,
      calledBy: ['folders', 'files', 'mail'],
      doc: 'The link to a folder or object; null when there is none',
      query: GuestTarget,
      reply: value<GuestLink | null>('the link'),
      repeatable: true,
    }),
    createLink: internal({
      access: BY_FOLDER,
      calledBy: ['folders', 'files'],
      doc: 'Makes the anonymous guest of a folder or object, or answers the one who was made meanwhile',
      query: NewGuestLink,
      reply: value<GuestLink>('the link'),
    }),
    changeLink: internal({
      access: BY_FOLDER,
      calledBy: ['folders', 'files'],
      doc: 'Changes a link; its sessions end with a new pin or end. Null when it is gone, or changed since it was known',
      query: GuestLinkChange,
      reply: value<GuestLink | null>('the link'),
    }),
    invite: internal({
      access: BY_FOLDER,
      calledBy: ['folders', 'files'],
      doc: 'The guest of the user for an address, made when there is none. Guests of others are others, also with the same address: what one user may pass on opens nothing of another',
      query: GuestInvitation,
      reply: value<InvitedGuest>('the guest'),
      repeatable: true,
    }),
    tokens: internal({
      access: BY_FOLDER,
      calledBy: ['folders', 'files'],
      doc: 'Tokens of links, and of the guests that the user invited; others are left out',
      query: GuestIds,
      reply: value<GuestToken[]>('tokens'),
      repeatable: true,
    }),
    settle: internal({
      access: BY_FOLDER,
      calledBy: ['folders', 'files'],
      doc: 'The rights of guests are written: from now on they go with them',
      query: GuestIds,
      reply: value<boolean>('true'),
      repeatable: true,
    }),
    remove: internal({
      access: BY_FOLDER,
      calledBy: ['folders', 'files'],
      doc: 'Removes guests and ends their sessions',
      query: GuestIds,
      reply: value<boolean>('true'),
      repeatable: true,
    }),
    withdraw: internal({
      access: allowCallers(
        'the modules tell who lost rights on what they keep, and are asked whether something is left',
      ),
      calledBy: ['calendar', 'contacts', 'tasks', 'files'],
      doc: 'Removes those of some guests who have no rights left in any module, and ends their sessions. The events of the modules do the same later, where this fails',
      query: GuestWithdrawal,
      reply: value<boolean>('true'),
      repeatable: true,
      deadlineMs: 5_000,
    }),
  },
  { service: 'identity' },
);
