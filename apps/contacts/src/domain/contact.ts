import { fieldsOf, PersonData, type UserPrincipal } from '@groupware/contracts';

/** A field of a contact that is a plain text, by its name on the wire. */
export type TextField = Exclude<keyof PersonData, 'birthday' | 'anniversary'>;

/** See {@link TextField}. */
export const TEXT_FIELDS: readonly TextField[] = fieldsOf(PersonData)
  .filter(({ type }) => type === 'text')
  .map(({ property }) => property as TextField);

/** Texts of a contact by field; null where there is none. */
export type ContactTexts = { readonly [K in TextField]?: string | null };

/** A member of a distribution list as it is stored. */
export interface StoredMember {
  /** 0 a bare address, 1 to 3 the address of the contact. */
  readonly mailField: number;
  /** The contact referred to; null for a bare address. */
  readonly contactId: number | null;
  readonly mail: string | null;
  readonly displayName: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** A contact as it is stored. Times are ms UTC; birthday and anniversary midnight UTC of the day. */
export interface Contact extends ContactTexts {
  readonly id: number;
  readonly folderId: number;
  readonly uid: string;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  readonly isPrivate: boolean;
  readonly color: number | null;
  readonly categories: string | null;
  readonly defaultAddress: number | null;
  /** The user whose contact it is. */
  readonly userId: number | null;
  /** The user is the administrator of the context. */
  readonly isAdmin: boolean;
  readonly isList: boolean;
  /** Number of members. */
  readonly members: number;
  readonly imageType: string | null;
  /** When the picture was set or removed; null when there never was one. */
  readonly imageChanged: number | null;
  readonly birthday: number | null;
  readonly anniversary: number | null;
}

/** The addresses that a member of a list may refer to, by its `mail_field`. */
export const MAIL_FIELDS = ['email1', 'email2', 'email3'] as const;

/** The fields of a contact that members of lists copy. */
export const MEMBER_FIELDS = [...MAIL_FIELDS, 'display_name', 'first_name', 'last_name'] as const;

/** The address of a contact that a member of a list refers to. */
const addressOf = (contact: ContactTexts, mailField: number): string | null =>
  contact[MAIL_FIELDS[mailField - 1]!] ?? null;

/** The fields that a member of a list copies of its contact. */
export const toMember = (contact: Contact, mailField: number): StoredMember => ({
  mailField,
  contactId: contact.id,
  mail: addressOf(contact, mailField),
  displayName: contact.display_name ?? null,
  firstName: contact.first_name ?? null,
  lastName: contact.last_name ?? null,
});

/** Whether the user created the contact. */
export const isOwn = ({ createdBy }: Contact, { userId }: Pick<UserPrincipal, 'userId'>): boolean =>
  createdBy === userId;
