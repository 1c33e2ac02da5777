import { FreeBusyRequestErrors } from '@groupware/contracts';

/** An attendee given by id, or by address in lower case. */
export type AttendeeReference = AttendeeDescription &
  (
    | { readonly text: string; readonly id: number; readonly address?: undefined }
    | { readonly text: string; readonly id?: undefined; readonly address: string }
  );

/** How a request describes an attendee; counts for those whom the directory does not know. */
export interface AttendeeDescription {
  readonly name?: string;
  readonly cuType?: string;
}

const MAX_ADDRESS_LENGTH = 320;

/** Parses a user id or mail address, `mailto:` allowed; undefined for other texts. */
export function parseAttendee(input: string): AttendeeReference | undefined {
  const text = input.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) <= 0x7fffffff ? { text, id: Number(text) } : undefined;
  const address = text.replace(/^mailto:/i, '').toLowerCase();
  return address.includes('@') && address.length <= MAX_ADDRESS_LENGTH ? { text, address } : undefined;
}

/**
 * Parses the attendees of a request in order, duplicates included.
 * @throws FBY-0004 for none, FBY-0005 for more than allowed, FBY-0006 for a text that is neither id nor address
 */
export function parseAttendees(texts: readonly string[], max: number): AttendeeReference[] {
  const given = texts.flatMap((text) => text.split(',')).filter((text) => text.trim() !== '');
  if (given.length === 0) throw FreeBusyRequestErrors.noAttendees();
  return requireAtMost(given, max).map((text) => {
    const named = parseAttendee(text);
    if (!named) throw FreeBusyRequestErrors.badAttendee(text);
    return named;
  });
}

/** Requires a maximum length of a list. @throws FBY-0005 */
export function requireAtMost<T>(list: readonly T[], max: number): readonly T[] {
  if (list.length > max) throw FreeBusyRequestErrors.tooManyAttendees(max);
  return list;
}

/** Creates a reference to an unknown attendee; undefined when it is too long for an address. */
export const toUnknownAttendee = (text: string): AttendeeReference | undefined =>
  text.length <= MAX_ADDRESS_LENGTH ? { text, address: text.trim().toLowerCase() } : undefined;
