import { readSchedulingMail } from './scheduling-mail';

const ICAL = 'BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nBEGIN:VEVENT\r\nUID:ü\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';

async function* cut(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string, options: { size?: number; maxBytes?: number } = {}) =>
  readSchedulingMail(cut(text, options.size ?? 50_000), options.maxBytes ?? 100_000);

const HEAD = [
  'From: =?utf-8?q?J=C3=B6rg?= <Joerg@Example.org>',
  'To: Ann <ann@test.example>, "B, Bob" <bob@test.example>, nobody',
  'Cc: Team: ann@test.example, carl@test.example;',
  'Date: Tue, 01 Mar 2033 10:00:00 +0100 (CET)',
  'Message-ID: <1@example.org>',
  'MIME-Version: 1.0',
];
const mail = (lines: readonly string[], body: string, head = HEAD) => [...head, ...lines, '', body].join('\r\n');
const part = (lines: readonly string[], body: string) => ['--x', ...lines, '', body].join('\r\n');
const mixed = (...parts: string[]) =>
  mail(['Content-Type: multipart/mixed; boundary=x'], [...parts, '--x--'].join('\r\n'));

describe('a pushed mail', () => {
  it('tells who, when and for whom', async () => {
    expect(await read(mail([], 'Hello'))).toEqual({
      messageId: '<1@example.org>',
      sentAtMs: Date.UTC(2033, 2, 1, 9),
      from: 'joerg@example.org',
      recipients: ['ann@test.example', 'bob@test.example', 'carl@test.example'],
      isTooLarge: false,
    });
    const envelope = mail([], 'Hello', ['Delivered-To: Zoe@test.example', ...HEAD]);
    expect((await read(envelope)).recipients).toEqual(['zoe@test.example']);
    expect(await read('X: y\r\n\r\n')).toEqual({ recipients: [], isTooLarge: false });
  });

  it.each([
    ['as it is', ['Content-Type: text/calendar; charset=utf-8; method=REPLY'], ICAL],
    ['in base64', ['Content-Type: TEXT/Calendar; METHOD="reply"', 'Content-Transfer-Encoding: base64'], b64(ICAL)],
    ['with the method inside only', ['Content-Type: text/calendar'], ICAL],
    [
      'in another charset',
      ['Content-Type: text/calendar; charset=iso-8859-1', 'Content-Transfer-Encoding: base64'],
      Buffer.from(ICAL, 'latin1').toString('base64'),
    ],
    [
      'quoted-printable',
      ['Content-Type: text/calendar; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
      ICAL.replace('ü', '=C3=BC'),
    ],
  ])('hands over its calendar part %s, wherever the pieces end', async (_how, lines, body) => {
    for (const size of [1, 7, 64, 5_000]) {
      const alone = await read(mail(lines, body), { size });
      const among = await read(
        mixed(part([], 'Hi'), part(lines, body), part(['Content-Type: text/calendar; method=CANCEL'], ICAL)),
        { size },
      );
      for (const found of [alone, among])
        expect({ ...found.calendar!, text: found.calendar!.text.trim() }).toEqual({
          method: 'REPLY',
          text: ICAL.trim(),
        });
    }
  });

  it('has none where it only carries another mail, or the part has no method', async () => {
    const inner = mail(['Content-Type: text/calendar; method=REPLY'], ICAL);
    expect((await read(mixed(part(['Content-Type: message/rfc822'], inner)))).calendar).toBeUndefined();
    const plain = ICAL.replace('METHOD:REPLY\r\n', '');
    expect((await read(mail(['Content-Type: text/calendar'], plain))).calendar).toBeUndefined();
  });

  it('leaves out a calendar part that is too large', async () => {
    const large = await read(mail(['Content-Type: text/calendar; method=REPLY'], ICAL), { maxBytes: 50 });
    expect(large).toMatchObject({ isTooLarge: true });
    expect(large.calendar).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['no header', 'just a text'],
    ['nothing but ends of lines', '\n'.repeat(113)],
    ['a picture', '\u0000\u0001\u0002'],
    ['a header that never ends', `Subject: ${'x'.repeat(300_000)}`],
    ['parts without end', mixed(...Array.from({ length: 1_200 }, () => part([], 'x')))],
  ])('is refused: %s', async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject({ entry: { code: 'PNS-9010' } });
    // With more to come, or all of it.
    await expect(read(text, { size: 4 })).rejects.toMatchObject({ entry: { code: 'PNS-9010' } });
  });

  it('of any size takes no memory', async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from(mail([], ''));
      const line = Buffer.from(`${'x'.repeat(998)}\r\n`.repeat(64));
      for (let count = 0; count < 800; count++) yield line;
    }
    global.gc?.();
    const before = process.memoryUsage();
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 2);
    await readSchedulingMail(endless(), 1_000);
    clearInterval(timer);
    expect(most - before.arrayBuffers).toBeLessThan(20 * 1024 * 1024);
  });
});

function b64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n');
}
