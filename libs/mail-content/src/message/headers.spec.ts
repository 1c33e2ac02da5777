import { decodeWords, MailHeaders, parseAddresses } from './headers';

const headers = (text: string) => new MailHeaders(Buffer.from(text, 'latin1'));

describe('headers of mails', () => {
  it('are unfolded, found without case, and decoded', () => {
    const found = headers('Subject: one\r\n two\r\nX-A: 1\r\nx-a: =?utf-8?q?=C3=A4?=\r\nno header\r\n\r\n');
    expect(found.getRaw('SUBJECT')).toBe('one two');
    expect(found.listTexts('X-A')).toEqual(['1', 'ä']);
    expect(found.listRaw('X-A')).toEqual(['1', '=?utf-8?q?=C3=A4?=']);
    expect(found.listTexts('X-B')).toEqual([]);
    expect(new MailHeaders().listOthers()).toEqual({});
  });

  it('MC-14 hold raw bytes of UTF-8 or Latin-1', () => {
    expect(headers('Subject: K\xc3\xb6ln').getRaw('Subject')).toBe('Köln');
    expect(headers('Subject: K\xf6ln').getRaw('Subject')).toBe('Köln');
  });

  it.each([
    ['=?utf-8?B?S8O2bG4=?=', 'Köln'],
    ['=?iso-8859-1?q?K=F6ln_am?= =?iso-8859-1?q?_Rhein?=', 'Köln am Rhein'],
    // A character spread over two words.
    ['=?utf-8?q?=C3?= =?utf-8?q?=A4?=', 'ä'],
    ['=?no-such?q?a=C3=A4?= b', 'aä b'],
    ['=?foo?Q?x=FC?= =?foo?B?/A==?=', 'x\u00fc\u00fc'],
    ['=?utf-8*de?Q?x=FC?= =?utf-8?Q?=C3=A4?=', 'x\u00fc\u00e4'],
    ['a =?utf-8?q?b', 'a =?utf-8?q?b'],
    // Line separators become blanks: the text may stand in a header again.
    ['raw\t\ttab', 'raw tab'],
    ['=?utf-8?Q?a=0D=0ABcc:_b?=', 'a Bcc: b'],
    ['=?utf-8?Q?=09a=09b?=', 'a b'],
    ['=?utf-8?Q?a=C2=85b=E2=80=A8c=E2=80=A9d?=', 'a b c d'],
  ])('decode %s', (raw, text) => {
    expect(decodeWords(raw)).toBe(text);
  });

  it.each([
    ['Ann <a@x.example>', [['Ann', 'a@x.example']]],
    ['"Doe, Jane" <j@x.example>', [['"Doe, Jane"', 'j@x.example']]],
    [
      '"Ann" <a@x.example>,b@x.example',
      [
        ['Ann', 'a@x.example'],
        [null, 'b@x.example'],
      ],
    ],
    ['a@x.example (Ann (the first))', [['"Ann (the first)"', 'a@x.example']]],
    ['undisclosed-recipients:;', []],
    [
      'Team: a@x.example, b@x.example;, c@x.example',
      [
        [null, 'a@x.example'],
        [null, 'b@x.example'],
        [null, 'c@x.example'],
      ],
    ],
    ['=?utf-8?q?M=C3=BCller=2C_A?= <m@x.example>', [['"Müller, A"', 'm@x.example']]],
    ['=?utf-8?Q?Doe=09Jane=E2=80=A8?= <j@x.example>', [['Doe Jane', 'j@x.example']]],
    ['a@xn--mller-kva.example', [[null, 'a@müller.example']]],
    ['not an address', [[null, 'not an address']]],
    ['"unclosed <a@x.example>', [[null, '"unclosed <a@x.example>']]],
    ['', []],
  ])('tell the addresses of %s', (raw, addresses) => {
    expect(parseAddresses(raw)).toEqual(addresses);
  });

  it('MC-06 MC-15 tell priority and date, whatever they hold', () => {
    expect([headers('Importance: high').getPriority(), headers('X-Priority: 5 (Lowest)').getPriority()]).toEqual([
      1, 5,
    ]);
    expect([headers('Importance: low\r\nX-Priority: 1').getPriority(), headers('X-Priority: x').getPriority()]).toEqual(
      [5, 3],
    );
    expect(headers('Date: Thu, 1 Jan 1970 00:00:00 GMT').getDate()).toBe(0);
    expect(headers('Date: Thu, 1 Jan 1970 01:00:00 +0100 (CET)').getDate()).toBe(0);
    expect(headers('Date: yesterday').getDate()).toBeUndefined();
    expect(() => headers('Date: 1 Jan 0099 00:00:00 GMT').getDate()).not.toThrow();
  });

  it('have dates that are read in linear time', () => {
    expect(headers(`Date: ${'('.repeat(1_000_000)}`).getDate()).toBeUndefined();
  });

  it('take no time for hostile ones', () => {
    const begin = performance.now();
    for (const raw of ['"'.repeat(20_000), '('.repeat(20_000), '<'.repeat(20_000), `${'=?utf-8?q?'.repeat(3_000)}`])
      parseAddresses(raw);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});
