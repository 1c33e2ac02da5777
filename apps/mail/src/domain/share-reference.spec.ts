import { parseShareReference } from './share-reference';

const pack = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const whole = { shareToken: '0a-b_c', contextId: 7, userId: 3, folder: '42', expiration: 9e12 };

describe('references to files that went as a link', () => {
  it('are read as the header has them, folded or not, with an end or without', () => {
    expect(parseShareReference(pack(whole))).toEqual(whole);
    expect(parseShareReference(pack(whole).replace(/(.{20})/g, '$1\r\n '))).toEqual(whole);
    const { expiration: _end, ...endless } = whole;
    expect(parseShareReference(pack(endless))).toEqual(endless);
    expect(parseShareReference(pack({ ...whole, more: 1 }))).toEqual(whole);
  });

  it.each([
    ['no text', ' \r\n '],
    ['no JSON', 'x'.repeat(40)],
    ['a list', pack([whole])],
    ['null', pack(null)],
    ['an empty object', pack({})],
    ['no token', pack({ ...whole, shareToken: undefined })],
    ['a token with another path', pack({ ...whole, shareToken: 'a/../b' })],
    ['another context', pack({ ...whole, contextId: '7' })],
    ['a user below 1', pack({ ...whole, userId: 0 })],
    ['a folder of mails', pack({ ...whole, folder: 'default0/INBOX' })],
    ['a number as folder', pack({ ...whole, folder: 42 })],
    ['an end that is none', pack({ ...whole, expiration: 'soon' })],
  ])('are refused with %s', (_what, text) => {
    expect(() => parseShareReference(text)).toThrow(expect.objectContaining({ code: 'MSG-0103' }));
  });
});
