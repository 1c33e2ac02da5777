import {
  ContactErrors,
  type ContactData,
  countCharacters,
  fieldsOf,
  findControlCharacter,
  limitOfContactText,
  listLongTexts,
  toLongTextsError,
  ContactData as ContactModel,
} from '@groupware/contracts';
import { type Contact, type ContactTexts, TEXT_FIELDS } from './contact';

/** Fields of a contact from a request body; absent ones stay as they are. */
export interface ContactContent {
  readonly texts: ContactTexts;
  readonly categories?: string | null;
  readonly birthday?: number | null;
  readonly anniversary?: number | null;
  readonly color?: number | null;
  readonly defaultAddress?: number | null;
  readonly isPrivate?: boolean;
}

/** Rules of a check that depend on the configuration. */
export interface ContentRules {
  readonly validateEmail: boolean;
}

/** `user@domain.tld`; the local part may be quoted, the domain an address in brackets. */
const ADDRESS = /^(?:"[^"\r\n]+"|[^\s@"<>(),;:]+)@(?:[^\s@"<>(),;:[\]]+\.[^\s@"<>(),;:[\].]+|\[[^\s[\]]+\])$/u;
const EMAILS: ReadonlySet<string> = new Set(['email1', 'email2', 'email3']);
/** Parts of a postal address; a change of one of them drops the formatted block unless that is given, too. */
const ADDRESS_PARTS = {
  addressHome: ['street_home', 'postal_code_home', 'city_home', 'state_home', 'country_home'],
  addressBusiness: ['street_business', 'postal_code_business', 'city_business', 'state_business', 'country_business'],
  addressOther: ['street_other', 'postal_code_other', 'city_other', 'state_other', 'country_other'],
} as const;

const columns = new Map(fieldsOf(ContactModel).map(({ wireName, column }) => [wireName, column]));

/**
 * A text that may be stored: null for an empty one. Accents are composed (NFC), as they are typed: some programs take them apart.
 * @throws CON-0154, CON-0168
 */
export const toStoredText = (name: string, text: string | null | undefined): string | null =>
  toStoredId(name, text?.normalize('NFC'));

/**
 * The same of an identifier, whose characters stay as they are.
 * @throws CON-0154, CON-0168
 */
export function toStoredId(name: string, text: string | null | undefined): string | null {
  if (text == null || text.trim() === '') return null;
  const bad = findControlCharacter(text);
  if (bad !== undefined) throw ContactErrors.badCharacter(bad, name);
  const limit = limitOfContactText(name);
  // A character takes two units of UTF-16 at most.
  if (text.length > limit) {
    const length = countCharacters(text);
    const id = columns.get(name);
    if (length > limit)
      throw ContactErrors.tooLong(name, limit, length).with({
        problematic: [{ id, length, max_size: limit }],
        truncated: id === undefined ? [] : [id],
      });
  }
  return text;
}

/** The bare address of what a client sent: without display part and without a route behind a slash. */
export function toBareAddress(text: string): string {
  const inner = /<([^<>]+)>\s*$/.exec(text)?.[1] ?? text;
  return inner.trim().replace(/\/TYPE=[^/@]*$/i, '');
}

function toStoredAddress(
  name: string,
  text: string | null | undefined,
  { validateEmail }: ContentRules,
): string | null {
  const stored = toStoredText(name, text);
  if (stored === null) return null;
  const address = toBareAddress(stored);
  requireAddress(name, address, { validateEmail });
  return address;
}

/**
 * Refuses a text that is no address, and one of several lines in any case.
 * @throws CON-0100, CON-0168
 */
export function requireAddress(name: string, address: string, { validateEmail }: ContentRules): void {
  if (validateEmail && !ADDRESS.test(address)) throw ContactErrors.badAddress(address);
  if (/[\r\n]/.test(address)) throw ContactErrors.badCharacter(address.includes('\r') ? 'U+000D' : 'U+000A', name);
}

/**
 * The fields that a body has, in the form in which they are stored.
 * @throws CON-0100, CON-0154, CON-0168
 */
export function parseContent(body: ContactData, rules: ContentRules): ContactContent {
  const given = { ...body, ...(body.marital_status == null && { marital_status: body.martial_status }) } as {
    readonly [name: string]: unknown;
  };
  const [first, ...rest] = listLongTexts(ContactModel, given, limitOfContactText);
  if (first) throw toLongTextsError(ContactErrors.tooLong, [first, ...rest]);
  const texts: Record<string, string | null> = {};
  for (const name of TEXT_FIELDS) {
    const text = given[name] as string | null | undefined;
    if (text === undefined) continue;
    texts[name] = EMAILS.has(name) ? toStoredAddress(name, text, rules) : toStoredText(name, text);
  }
  const nullable: { readonly [K in keyof ContactData]?: ContactData[K] | null } = body;
  return {
    texts,
    ...(body.categories !== undefined && { categories: toStoredText('categories', body.categories) }),
    ...(nullable.birthday !== undefined && { birthday: toDay(nullable.birthday) }),
    ...(nullable.anniversary !== undefined && { anniversary: toDay(nullable.anniversary) }),
    ...(nullable.color_label !== undefined && { color: nullable.color_label }),
    ...(nullable.default_address !== undefined && { defaultAddress: nullable.default_address }),
    ...(nullable.private_flag !== undefined && { isPrivate: nullable.private_flag ?? false }),
  };
}

const DAY_MS = 86_400_000;

/** Midnight UTC of a day, whatever time of it a client sent. */
const toDay = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / DAY_MS) * DAY_MS);

/** A contact with other content. What follows from it follows: `file_as` the display name, blocks the parts of addresses. */
export function applyContent<T extends ContactTexts>(before: T, { texts, ...others }: ContactContent): T {
  const derived: Record<string, string | null> = {};
  if (texts.file_as === undefined && texts.display_name !== undefined && texts.display_name !== before.display_name)
    derived.file_as = texts.display_name;
  for (const [block, parts] of Object.entries(ADDRESS_PARTS))
    if (
      texts[block as keyof typeof ADDRESS_PARTS] === undefined &&
      parts.some((part) => texts[part] !== undefined && (texts[part] ?? null) !== (before[part] ?? null))
    )
      derived[block] = null;
  return { ...before, ...texts, ...derived, ...others };
}

/** A contact without content. */
export const EMPTY_CONTACT: Omit<
  Contact,
  'id' | 'folderId' | 'uid' | 'createdBy' | 'modifiedBy' | 'created' | 'lastModified'
> = {
  isPrivate: false,
  color: null,
  categories: null,
  defaultAddress: null,
  userId: null,
  isAdmin: false,
  isList: false,
  members: 0,
  imageType: null,
  imageChanged: null,
  birthday: null,
  anniversary: null,
};
