import { FreeBusyRequestErrors } from '@groupware/contracts';

/** Somebody a question names: by id, or by address in lower case. */
export type NamedAttendee =
  | { readonly text: string; readonly id: number; readonly address?: undefined }
  | { readonly text: string; readonly id?: undefined; readonly address: string };

const MAX_ADDRESS_LENGTH = 320;

/** A user id or mail address, `mailto:` allowed; undefined for anything else. */
export function namedAttendee(input: string): NamedAttendee | undefined {
  const text = input.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) <= 0x7fffffff ? { text, id: Number(text) } : undefined;
  const address = text.replace(/^mailto:/i, '').toLowerCase();
  return address.includes('@') && address.length <= MAX_ADDRESS_LENGTH ? { text, address } : undefined;
}

/**
 * The attendees of a question in the order they are named, the same one as often as it is named.
 * @throws FBY-0004 for none, FBY-0005 for more than allowed, FBY-0006 for a text that is neither id nor address
 */
export function namedAttendees(texts: readonly string[], max: number): NamedAttendee[] {
  const given = texts.flatMap((text) => text.split(',')).filter((text) => text.trim() !== '');
  if (given.length === 0) throw FreeBusyRequestErrors.noAttendees();
  return limited(given, max).map((text) => {
    const named = namedAttendee(text);
    if (!named) throw FreeBusyRequestErrors.badAttendee(text);
    return named;
  });
}

/** A list of at most so many. @throws FBY-0005 */
export function limited<T>(list: readonly T[], max: number): readonly T[] {
  if (list.length > max) throw FreeBusyRequestErrors.tooManyAttendees(max);
  return list;
}

/** Somebody with a name that no directory knows; undefined when it is too long for one. */
export const unknownAttendee = (text: string): NamedAttendee | undefined =>
  text.length <= MAX_ADDRESS_LENGTH ? { text, address: text.trim().toLowerCase() } : undefined;
