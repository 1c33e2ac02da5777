import { findTrustedPicture } from './trusted-picture';

describe('pictures of trusted senders', () => {
  const text =
    ' acme=data:image/png;base64,QUJD\n  bank.example=data:image/jpeg;base64,REVG broken= other=https://x.example/a';

  it('are found by their names', () => {
    expect(findTrustedPicture(text, 'acme')?.toString()).toBe('ABC');
    expect(findTrustedPicture(text, 'bank.example')?.toString()).toBe('DEF');
  });

  it.each(['', 'ACME', 'acme=data:image/png;base64,QUJD', 'broken', 'other', '__proto__'])(
    'are none of the name "%s"',
    (uid) => {
      expect(findTrustedPicture(text, uid)).toBeUndefined();
      expect(findTrustedPicture('', uid)).toBeUndefined();
    },
  );
});
