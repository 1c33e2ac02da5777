import { isMailAddress } from './addresses';

describe('a mail address', () => {
  it.each(['a@b.example', 'first.last+tag@mail.b-c.example', "o'neil@b.example", 'ü@bücher.example'])(
    '%s is one',
    (text) => {
      expect(isMailAddress(text)).toBe(true);
    },
  );

  it.each([
    '',
    'a',
    '@b.example',
    'a@',
    'a@b',
    'a b@c.example',
    'a@b@c.example',
    'a@-b.example',
    'a..b@c.example',
    '.a@c.example',
    'a@c.example\r\nRCPT TO:<x@y.example>',
    'a\u0000@c.example',
    '<a@c.example>',
    `${'x'.repeat(65)}@c.example`,
  ])('%j is none', (text) => {
    expect(isMailAddress(text)).toBe(false);
  });
});
