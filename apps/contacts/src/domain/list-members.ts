import { ContactErrors, RequestErrors, type ContactMember } from '@groupware/contracts';
import { type Contact, MEMBER_FIELDS, type StoredMember, toMember } from './contact';
import { requireAddress, toBareAddress, toStoredText, type ContentRules } from './contact-input';

/** One member as a body says it: a contact with the number of an address, or an address alone. */
export interface MemberRequest {
  readonly contactId?: number;
  readonly mailField: number;
  readonly mail: string | null;
  readonly displayName: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

const idOf = (value: unknown): number | undefined => {
  if (value === undefined || value === null || value === '' || value === 0 || value === '0') return undefined;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const id = Number(text);
  if (!/^\d{1,10}$/.test(text) || id > 2 ** 31 - 1) throw RequestErrors.badBodyData(`distribution_list: id ${text}`);
  return id;
};

/** The members that a body names. A member with an id refers to its first address unless it says which one. @throws SVL-0031 */
export function parseMembers(list: readonly ContactMember[]): MemberRequest[] {
  return list.map((member) => {
    const contactId = idOf(member.id);
    const isReference = contactId !== undefined && member.mail_field !== 0;
    const mail = toStoredText('mail', member.mail);
    return {
      ...(isReference && { contactId }),
      mailField: isReference ? (member.mail_field ?? 1) : 0,
      mail: mail === null ? null : toBareAddress(mail),
      displayName: toStoredText('display_name', member.display_name),
      firstName: toStoredText('first_name', member.first_name),
      lastName: toStoredText('last_name', member.last_name),
    };
  });
}

/** State on which it depends what members are stored. */
export interface MemberContext extends ContentRules {
  /** Those contacts, of the requests and of the known members, that the writer may read. */
  readonly readable: ReadonlyMap<number, Contact>;
  /** Members that the list had before. */
  readonly known?: readonly StoredMember[];
}

/**
 * The members to store. References to contacts that the writer may read copy them; others stay as they were when the list had
 * them already, and become bare addresses otherwise, so that no user learns by a list what he may not read. Members that are shown
 * without address, and references that are shown as bare addresses, are taken back as they were.
 * @throws CON-0100, CON-0168, CON-0177
 */
export function resolveMembers(
  requests: readonly MemberRequest[],
  { readable, known = [], validateEmail }: MemberContext,
): StoredMember[] {
  const references = new Map(known.map((member) => [toReferenceKey(member), member]));
  const bare = new Map<string, StoredMember[]>();
  for (const member of known)
    if (member.mail === null || member.contactId === null || !readable.has(member.contactId)) {
      const key = toAddressKey(member);
      const same = bare.get(key);
      if (same) same.push(member);
      else bare.set(key, [member]);
    }
  const takeBack = (given: Pick<StoredMember, 'mail' | 'displayName'>): StoredMember | undefined => {
    const shown = bare.get(toAddressKey(given));
    return shown && shown.length > 1 ? shown.shift() : shown?.[0];
  };
  const members = requests.map((request): StoredMember => {
    const { contactId, mailField, ...given } = request;
    const contact = contactId === undefined ? undefined : readable.get(contactId);
    const before = contactId === undefined ? undefined : references.get(toReferenceKey({ contactId, mailField }));
    if (contact && !contact.isList) {
      const member = toMember(contact, mailField);
      return { ...member, mail: member.mail ?? before?.mail ?? null };
    }
    if (before) return before;
    const shown = takeBack(given);
    if (shown) return shown;
    if (given.mail === null) throw ContactErrors.memberWithoutAddress();
    requireAddress('mail', given.mail, { validateEmail });
    return { ...given, mailField: 0, contactId: null };
  });
  const seen = new Set<string>();
  return members.filter((member) => {
    const key = JSON.stringify([
      member.contactId,
      member.mailField,
      member.contactId ?? [member.mail, member.displayName],
    ]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const toReferenceKey = ({ contactId, mailField }: Pick<StoredMember, 'contactId' | 'mailField'>): string =>
  `${contactId}:${mailField}`;

const toAddressKey = ({ mail, displayName }: Pick<StoredMember, 'mail' | 'displayName'>): string =>
  JSON.stringify([mail, displayName]);

/** Whether members of lists that refer to a contact have to follow a change of it. */
export const changesMembers = (before: Contact, after: Contact): boolean =>
  before.folderId !== after.folderId || MEMBER_FIELDS.some((name) => (before[name] ?? null) !== (after[name] ?? null));
