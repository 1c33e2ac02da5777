import type { DirectoryResource } from '@groupware/contracts';
import { bookingRight } from './booking-right';

const room = (fields: Partial<DirectoryResource> = {}): DirectoryResource => ({
  kind: 'resource',
  id: 20,
  displayName: 'R',
  email: 'r@x.invalid',
  room: true,
  ...fields,
});
const user = { userId: 3, groups: [0, 10] };

describe('the right to book a resource', () => {
  it('is everybody’s when nobody is named', () => {
    expect(bookingRight(room(), user)).toBe('book');
    expect(bookingRight(room({ available: true, privileges: [] }), user)).toBe('book');
  });

  it('is nobody’s for a resource that is not available', () => {
    const privileges = [{ entity: 3, privilege: 'delegate' as const }];
    expect(bookingRight(room({ available: false, privileges }), user)).toBe('none');
  });

  it.each([
    ['of the user himself', [{ entity: 3, privilege: 'book_directly' }], 'book'],
    ['of one of his groups', [{ entity: 10, group: true, privilege: 'ask_to_book' }], 'ask'],
    ['of all users', [{ entity: 0, group: true, privilege: 'book_directly' }], 'book'],
    ['of another user with the number of his group', [{ entity: 10, privilege: 'book_directly' }], 'none'],
    ['of another group with his number', [{ entity: 3, group: true, privilege: 'book_directly' }], 'none'],
    ['none', [{ entity: 3, privilege: 'none' }], 'none'],
    [
      'the strongest of several',
      [
        { entity: 3, privilege: 'none' },
        { entity: 10, group: true, privilege: 'ask_to_book' },
        { entity: 0, group: true, privilege: 'delegate' },
      ],
      'book',
    ],
  ] as const)('follows the privilege %s', (_name, privileges, expected) => {
    expect(bookingRight(room({ privileges }), user)).toBe(expected);
  });
});
