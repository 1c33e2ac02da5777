import type { DirectoryResource } from '@groupware/contracts';

/** Whoever books. */
export interface BookingUser {
  readonly userId: number;
  /** Group 0 included. */
  readonly groups: readonly number[];
}

/** `book`: it accepts at once; `ask`: it is kept busy until somebody who manages it answers. */
export type BookingRight = 'none' | 'ask' | 'book';

const STRENGTH = ['none', 'ask_to_book', 'book_directly', 'delegate'] as const;

/**
 * What a user may do with a resource: the strongest of the privileges that he and his groups have. Without any privileges
 * of the resource everybody books it; one that is not available is booked by nobody.
 */
export function bookingRight(resource: DirectoryResource, user: BookingUser): BookingRight {
  if (resource.available === false) return 'none';
  if (!resource.privileges?.length) return 'book';
  const strongest = Math.max(
    0,
    ...resource.privileges
      .filter(({ entity, group }) => (group ? user.groups.includes(entity) : entity === user.userId))
      .map(({ privilege }) => STRENGTH.indexOf(privilege)),
  );
  return strongest === 0 ? 'none' : strongest === 1 ? 'ask' : 'book';
}
