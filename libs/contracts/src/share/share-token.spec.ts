import fc from 'fast-check';
import { guestOfToken, shareToken } from './share-token';

const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const random = fc.stringMatching(/^[0-9a-f]{32}$/);

describe('tokens of shares', () => {
  it('name context and guest, whatever the random part', () => {
    fc.assert(
      fc.property(id, id, random, (contextId, guestId, digits) => {
        const token = shareToken({ contextId, guestId }, digits);
        expect(token).toMatch(/^[0-9a-f]{48}$/);
        expect(token.endsWith(digits)).toBe(true);
        expect(guestOfToken(token)).toEqual({ contextId, guestId });
      }),
    );
  });

  it('mask context and guest with the first digits of the random part', () => {
    expect(shareToken({ contextId: 1, guestId: 2 }, 'ffffffff00000000'.padEnd(32, 'a'))).toBe(
      `fffffffe00000002${'ffffffff00000000'.padEnd(32, 'a')}`,
    );
  });

  it.each(['', 'x', '0'.repeat(48), '1'.repeat(47), 'g'.repeat(48), 'A1'.repeat(24), `80000000${'0'.repeat(40)}`])(
    '%j is none',
    (text) => expect(guestOfToken(text)).toBeUndefined(),
  );
});
