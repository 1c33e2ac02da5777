import type { DirectoryResource } from '@groupware/contracts';

/** The booking user. */
export interface BookingUser {
  readonly userId: number;
  /** Group 0 included. */
  readonly groups: readonly number[];
}

/** `book`: it accepts at once; `ask`: it is kept busy until a delegate replies. */
export type BookingRight = 'none' | 'ask' | 'book';

const STRENGTH = ['none', 'ask_to_book', 'book_directly', 'delegate'] as const;

/**
 * Booking right of a user on a resource: the strongest of the privileges that he and his groups have. Without any privileges
 * of the resource every user books it; one that is not available can't be booked.
 */
export function bookingRight(resource: DirectoryResource, user: BookingUser): BookingRight {
  if (resource.available === false) return 'none';
  if (!resource.privileges?.length) return 'book';
  const strongest = strongestOf(resource, user);
  return strongest === 0 ? 'none' : strongest === 1 ? 'ask' : 'book';
}

/** True for a delegate of a resource. */
export const isDelegate = (resource: DirectoryResource, user: BookingUser): boolean =>
  STRENGTH[strongestOf(resource, user)] === 'delegate';

const strongestOf = ({ privileges = [] }: DirectoryResource, user: BookingUser): number =>
  Math.max(
    0,
    ...privileges
      .filter(({ entity, group }) => (group ? user.groups.includes(entity) : entity === user.userId))
      .map(({ privilege }) => STRENGTH.indexOf(privilege)),
  );
