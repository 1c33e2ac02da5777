import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { MailHeaders } from '../message/headers';
import { parseMessage } from '../message/parsed-source';
import { readMail } from '../message/read-mail';
import { ContentWorkers } from '../worker/content-workers';
import { ComposeError } from './compose-error';
import { composeMail, type ComposeInput } from './compose-mail';
import { readRecipients } from './recipients';
import {
  createForward,
  createReply,
  createReplyToAll,
  createThreadHeaders,
  findOwnRecipient,
  readThreadHeaders,
  type OriginalMail,
} from './reply';
import { wrapLines } from './wrap-lines';

let workers: ContentWorkers;
beforeAll(() => {
  workers = new ContentWorkers({ threads: 1 });
});
afterAll(() => workers.close());

const input = (changes: Partial<ComposeInput> = {}): ComposeInput => ({
  from: ['Jane', 'jane@x.example'],
  to: [[null, 'b@x.example']],
  cc: [],
  bcc: [],
  subject: 'Hi',
  body: { type: 'text/plain', content: 'Hello' },
  files: [],
  date: new Date('2026-03-01T10:00:00Z'),
  userAgent: 'groupware',
  ...changes,
});
async function write(changes: Partial<ComposeInput> = {}) {
  const mail = await composeMail(input(changes), workers);
  const source = await buffer(mail.createSource());
  const parts = await parseMessage(source);
  const { mail: shown } = await readMail(parts, workers, { view: 'raw' });
  return { ...mail, source: source.toString('latin1'), shown, headers: new MailHeaders(await parts.fetchHeader()) };
}
const reasonOf = (task: Promise<unknown>) =>
  task.then(
    () => 'written',
    (error: unknown) => (error instanceof ComposeError ? `${error.reason} ${error.field}` : error),
  );

describe('writing mails', () => {
  it.each([
    ['text', { body: { type: 'text/plain' as const, content: 'one\ntwo\r\nthree\rfour' } }],
    ['HTML', { body: { type: 'text/html' as const, content: '<p>one\ntwo</p>\r\n<p>three</p>' } }],
    [
      'a mail in it',
      { files: [{ filename: 'm.eml', type: 'message/rfc822', open: () => Readable.from(['a: b\n\nc\n']) }] },
    ],
  ])('ends lines of %s by CRLF (RFC 5322, section 2.3)', async (_what, changes) => {
    const { source } = await write(changes);
    expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(source).toContain('\r\n');
  });

  it('writes HTML alone that is too much to be said in plain text', async () => {
    const bounded = new ContentWorkers({ threads: 1, maxBytes: 100 });
    const content = `<p>${'long '.repeat(100)}</p>`;
    const mail = await composeMail(input({ body: { type: 'text/html', content } }), bounded);
    await bounded.close();
    const { structure } = await parseMessage(await buffer(mail.createSource()));
    expect(structure).toMatchObject({ type: 'text/html' });
  });

  it('writes what was asked for', async () => {
    const { shown, headers, messageId, envelope } = await write({
      from: ['Doe, Jané', 'jane@müller.example'],
      to: [['Ü', 'b@x.example']],
      cc: [[null, 'c@x.example']],
      subject: 'Grüße €',
      priority: 1,
      receiptTo: 'jane@x.example',
      headers: { 'X-Mine': 'yes' },
      body: { type: 'text/plain', content: 'Schöne Grüße\n.\nFrom me' },
    });
    expect(shown).toMatchObject({
      from: [['"Doe, Jané"', 'jane@müller.example']],
      to: [['Ü', 'b@x.example']],
      cc: [[null, 'c@x.example']],
      subject: 'Grüße €',
      priority: 1,
      sent_date: Date.UTC(2026, 2, 1, 10),
      disp_notification_to: 'jane@x.example',
      attachments: [{ id: '1', content_type: 'text/plain', content: 'Schöne Grüße\n.\nFrom me\n' }],
    });
    expect(headers.getRaw('x-mine')).toBe('yes');
    expect(headers.getRaw('x-mailer')).toBe('groupware');
    expect(headers.getRaw('importance')).toBe('High');
    expect(headers.getRaw('message-id')).toBe(messageId);
    expect(messageId).toMatch(/^<[0-9a-f-]{36}@xn--mller-kva\.example>$/);
    expect(envelope).toEqual({ from: 'jane@müller.example', to: ['b@x.example', 'c@x.example'] });
  });

  it('sends HTML with the text it says', async () => {
    const { shown } = await write({ body: { type: 'text/html', content: '<p>Hello <b>you</b></p>' } });
    expect(shown.content_type).toBe('multipart/alternative');
    expect(shown.attachments).toMatchObject([
      { content_type: 'text/plain', content: 'Hello you' },
      { content_type: 'text/html', content: '<p>Hello <b>you</b></p>' },
    ]);
  });

  it('names recipients of blind copies, as the copy of the author does', async () => {
    const kept = await write({ bcc: [[null, 'secret@x.example']] });
    expect(kept.envelope.to).toEqual(['b@x.example', 'secret@x.example']);
    expect(kept.shown.bcc).toEqual([[null, 'secret@x.example']]);
  });

  it('attaches files as often as it is written, and pictures that the text shows', async () => {
    let opened = 0;
    const open = () => {
      opened++;
      return Readable.from([Buffer.from('content')]);
    };
    const mail = await composeMail(
      input({
        body: { type: 'text/html', content: '<img src="cid:p@x">' },
        files: [
          { filename: 'ä "quoted".txt', type: 'application/x-mine', open },
          { filename: 'p.png', type: 'image/png', open, cid: 'p@x' },
        ],
      }),
      workers,
    );
    const sources = [await buffer(mail.createSource()), await buffer(mail.createSource())];
    expect(opened).toBe(4);
    expect(String(sources[0])).toBe(String(sources[1]));
    const { mail: shown } = await readMail(await parseMessage(sources[0]!), workers, { view: 'html' });
    expect(shown.attachments!.slice(1).map(({ filename, disp, cid }) => [filename, disp, cid])).toEqual([
      ['p.png', 'inline', 'p@x'],
      ['ä "quoted".txt', 'attachment', undefined],
    ]);
  });

  it('lets nothing begin a header of its own', async () => {
    const evil = 'x\r\nBcc: victim@x.example';
    expect(await reasonOf(write({ subject: evil }))).toBe('controlCharacter subject');
    expect(await reasonOf(write({ headers: { 'X-A': evil } }))).toBe('controlCharacter X-A');
    expect(await reasonOf(write({ headers: { 'X-A: y\r\nBcc': 'x' } }))).toMatch(/^badHeader/);
    expect(await reasonOf(write({ headers: { Bcc: 'victim@x.example' } }))).toBe('badHeader Bcc');
    for (const bad of [[[evil, 'a@x.example']], [[null, `a@x.example${evil}`]], evil, [[null, 'a@x.example\0']]])
      expect(() => readRecipients('to', bad)).toThrow(new ComposeError('controlCharacter', 'to'));
    for (const bad of [
      [[null, 'a']],
      [[null, 'a@']],
      [[null, '@x']],
      [[null, 'a b@x.example']],
      [[null, 'a@x,b@y']],
      [['a']],
      [[1, 2]],
      5,
      {},
      [[null, `${'a'.repeat(65)}@x.example`]],
      [[null, 'a@x.example>']],
    ])
      expect(() => readRecipients('to', bad)).toThrow(/badAddress in to/);
    const file = { filename: 'a\r\nX-Evil: 1\r\n.txt', type: 'text/x', open: () => Readable.from(['x']) };
    expect((await write({ files: [file] })).source).not.toMatch(/^X-Evil/m);
    const thread = { inReplyTo: '<a@x>', references: ['<b@x>\r\nBcc: v@x.example', '<c@x>'] };
    expect((await write({ thread })).headers.getRaw('references')).toBe('<c@x>');
  });

  it('has blanks for tabs and ends of lines that were pasted into a subject or a name', async () => {
    const pasted = 'a\tb\nc\u0085d\u2028\u2029e\u0007';
    for (const isDraft of [false, true])
      expect(readRecipients('to', [[pasted, 'b@x.example']], isDraft)).toEqual([['a b c d e', 'b@x.example']]);
    expect(readRecipients('to', '"a\tb" <b@x.example>,\tc@x.example')).toEqual([
      ['a b', 'b@x.example'],
      [null, 'c@x.example'],
    ]);
    const { shown, source } = await write({ subject: `${pasted}\nBcc: v@x.example` });
    expect(shown.subject).toBe('a b c d e Bcc: v@x.example');
    expect(source).not.toMatch(/^Bcc/im);
    for (const address of ['b\t@x.example', 'b@x.example\n', '\u2028b@x.example'])
      expect(() => readRecipients('to', [[null, address]], true)).toThrow(/controlCharacter/);
    for (const text of ['a\nBcc: v@x.example', 'a\u2028 <b@x.example>'])
      expect(() => readRecipients('to', text)).toThrow(/controlCharacter/);
  });

  it('keeps recipients of drafts that are no addresses yet', async () => {
    const half: [string | null, string][] = [
      [null, 'half'],
      ['Ann', 'half'],
      [null, 'Änn Müll'],
      [null, 'ann@'],
      ['Änn, B', 'a b, c'],
      [null, 'b@x.example'],
    ];
    const to = readRecipients('to', half, true);
    expect(to).toEqual(half);
    expect((await write({ to })).shown.to).toEqual(
      half.map(([name, address]) => [name === 'Änn, B' ? `"${name}"` : name, address]),
    );
    expect(() => readRecipients('to', [[null, 'half\r\nBcc: v@x.example']], true)).toThrow(/controlCharacter/);
  });

  it('writes one mail for any input, or refuses it', async () => {
    const names = fc.oneof(fc.constant(null), fc.string({ unit: 'binary', maxLength: 20 }));
    const addresses = fc.oneof(
      fc.constant('a@x.example'),
      fc.string({ maxLength: 20 }).map((local) => `${local}@x.example`),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, addresses), { maxLength: 4 }),
        fc.string({ unit: 'binary' }),
        async (to, subject) => {
          let mail: Partial<ComposeInput>;
          try {
            mail = { to: readRecipients('to', to), subject };
            await composeMail(input(mail), workers);
          } catch (error) {
            expect(error).toBeInstanceOf(ComposeError);
            return;
          }
          const { shown, envelope } = await write(mail);
          expect(shown.to).toHaveLength(to.length);
          expect(shown.bcc).toEqual([]);
          expect(envelope.to.every((address) => to.some(([, wanted]) => wanted.trim() === address))).toBe(true);
          expect(shown.attachments).toMatchObject([{ content: 'Hello\n' }]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('MX-22 wraps long lines and leaves quoted ones', () => {
    const long = Array.from({ length: 50 }, () => 'words').join(' ');
    const wrapped = wrapLines(`${long}\n> ${long}\nshort`, 76).split('\n');
    expect(wrapped.filter((line) => line.length > 76)).toEqual([`> ${long}`]);
    expect(wrapped.join(' ')).toBe(`${long} > ${long} short`);
    expect(wrapLines(`${'x'.repeat(100)} y`, 76)).toBe(`${'x'.repeat(100)}\ny`);
  });
});

describe('answers', () => {
  const mail = (...lines: string[]): OriginalMail => ({
    headers: new MailHeaders(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)),
    body: { type: 'text/plain', content: 'one\ntwo\n' },
    isOwn: false,
  });
  const options = { ownAddresses: ['me@x.example', 'Alias@x.example'], locale: 'en-US', timeZone: 'Europe/Berlin' };
  const original = mail(
    'From: "Doe, Jane" <jane@x.example>',
    'To: me@x.example, Bob <bob@x.example>, bob@X.example',
    'Cc: alias@X.example, carol@x.example',
    'Subject: Hi',
    'Date: Sun, 01 Mar 2026 10:00:00 +0000',
    'Message-ID: <m2@x.example>',
    'References: <m0@x.example> <m1@x.example>',
  );

  it('MR-01 answers the author, and quotes', () => {
    expect(createReply(original, options)).toMatchObject({
      to: [['"Doe, Jane"', 'jane@x.example']],
      cc: [],
      subject: 'Re: Hi',
      attachments: [
        {
          content_type: 'text/plain',
          content: '\n\nOn Mar 1, 2026 at 11:00 AM Doe, Jane wrote:\n\n> one\n> two\n',
        },
      ],
    });
    const html: OriginalMail = { ...original, body: { type: 'text/html', content: '<p>x</p>' } };
    expect(createReply(html, options).attachments![0]!.content).toMatch(
      /wrote:<br><blockquote type="cite" style="margin-left: 0px; [^"]*"><p>x<\/p><\/blockquote>$/,
    );
    expect(createReply(original, { ...options, withoutText: true }).attachments![0]!.content).toBe('');
  });

  it('MR-01 answers all, but not the user', () => {
    expect(createReplyToAll(original, options)).toMatchObject({
      to: [
        ['"Doe, Jane"', 'jane@x.example'],
        ['Bob', 'bob@x.example'],
      ],
      cc: [[null, 'carol@x.example']],
    });
    expect(createReplyToAll(original, { ...options, othersInCc: true })).toMatchObject({
      to: [['"Doe, Jane"', 'jane@x.example']],
      cc: [
        ['Bob', 'bob@x.example'],
        [null, 'carol@x.example'],
      ],
    });
    const sentByUser = mail('From: me@x.example', 'To: Bob <bob@x.example>', 'Cc: carol@x.example');
    expect(createReplyToAll(sentByUser, { ...options, othersInCc: true })).toMatchObject({
      to: [['Bob', 'bob@x.example']],
      cc: [[null, 'carol@x.example']],
    });
    const toSelf = mail('From: me@x.example', 'To: me@x.example');
    expect(createReplyToAll(toSelf, options).to).toEqual([[null, 'me@x.example']]);
  });

  it('MR-01 follows Reply-To, and answers those an own mail went to', () => {
    const elsewhere = mail('From: a@x.example', 'Reply-To: list@x.example', 'To: me@x.example');
    expect(createReply(elsewhere, options).to).toEqual([[null, 'list@x.example']]);
    const own = { ...mail('From: me@x.example', 'To: bob@x.example', 'Bcc: secret@x.example'), isOwn: true };
    expect(createReply(own, options).to).toEqual([[null, 'bob@x.example']]);
    expect(createReplyToAll(own, options)).toMatchObject({
      to: [[null, 'bob@x.example']],
      bcc: [[null, 'secret@x.example']],
    });
  });

  it('MR-01 prefixes a subject once', () => {
    for (const subject of ['RE: Hi', 're: Hi', 'Re: Hi'])
      expect(createReply(mail(`Subject: ${subject}`), options).subject).toBe(subject);
    for (const subject of ['FWD: Hi', 'Fwd: Hi'])
      expect(createForward(mail(`Subject: ${subject}`), options).subject).toBe(subject);
    expect(createForward(original, options).subject).toBe('Fwd: Hi');
    expect(createReply(mail('From: a@x.example'), options).subject).toBe('Re:');
  });

  it('MR-01 passes a mail on with its head', () => {
    const { to, attachments } = createForward(original, options);
    expect(to).toEqual([]);
    expect(attachments![0]!.content).toContain(
      '\nFrom: "Doe, Jane" <jane@x.example>\nTo: me@x.example, Bob <bob@x.example>',
    );
    expect(attachments![0]!.content).toMatch(/\nSubject: Hi\n\none\ntwo\n$/);
    const html: OriginalMail = { ...mail('Subject: <b>x</b>'), body: { type: 'text/html', content: '<p>x</p>' } };
    expect(createForward(html, options).attachments![0]!.content).toContain(
      'Subject: &lt;b&gt;x&lt;/b&gt;<br><br><p>x</p>',
    );
  });

  it('MR-02 takes an address with a suffix for the own one only when it is an alias', () => {
    const plus = mail('To: Me <me+list@x.example>');
    expect(findOwnRecipient(plus.headers, options.ownAddresses)).toBeUndefined();
    expect(findOwnRecipient(plus.headers, ['me+list@x.example'])).toEqual(['Me', 'me+list@x.example']);
  });

  it('names the mail it answers, and those before', () => {
    expect(createThreadHeaders(original.headers)).toEqual({
      inReplyTo: '<m2@x.example>',
      references: ['<m0@x.example>', '<m1@x.example>', '<m2@x.example>'],
    });
    expect(createThreadHeaders(mail('Message-ID: <b@x>', 'In-Reply-To: <a@x>').headers)?.references).toEqual([
      '<a@x>',
      '<b@x>',
    ]);
    expect(createThreadHeaders(mail('Subject: x').headers)).toBeUndefined();
  });

  it('refers on to what it was begun for', () => {
    const begun = (...headers: string[]) => readThreadHeaders(mail(...headers).headers);
    const [inReplyTo, references] = ['In-Reply-To: <b@x>', 'References: <a@x>\r\n <b@x>'] as const;
    const thread = { inReplyTo: '<b@x>', references: ['<a@x>', '<b@x>'] };
    expect(begun('Message-ID: <own@x>', inReplyTo, references)).toEqual(thread);
    expect(begun(references)).toEqual(thread);
    expect(begun(inReplyTo)).toEqual({ inReplyTo: '<b@x>', references: ['<b@x>'] });
    expect(begun('Message-ID: <own@x>')).toBeUndefined();
  });
});
