import fc from 'fast-check';
import { ContentWorkers } from '../worker/content-workers';
import { openAttachment } from './attachments';
import { openEncodedMessages } from './encoded-messages';
import { listTextFiles } from './inner-files';
import { MessageError } from './message-error';
import { parseMessage } from './parsed-source';
import type { PartSource } from './part-source';
import type { ReadOptions } from './read-options';
import { readMail } from './read-mail';
import { file, message, multipart, text, tnef, uuencode } from './testing/messages';

let workers: ContentWorkers;
beforeAll(() => {
  workers = new ContentWorkers({ threads: 2 });
});
afterAll(() => workers.close());

async function read(source: Buffer | PartSource, options: Partial<ReadOptions> = {}) {
  const parts = Buffer.isBuffer(source) ? await parseMessage(source) : source;
  return (await readMail(parts, workers, { view: 'html', ...options })).mail;
}
const summary = (mail: Awaited<ReturnType<typeof read>>) =>
  mail.attachments!.map(({ id, content_type, disp, filename }) =>
    [id, content_type, disp, ...(filename ? [filename] : [])].join(' '),
  );
async function download(source: Buffer, wanted: { id: string } | { cid: string }): Promise<Buffer> {
  const { content } = await openAttachment(await parseMessage(source), wanted);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const HEADER = ['From: "Doe, Jane" <jane@x.example>', 'To: b@x.example', 'Subject: Hi'];
const ALTERNATIVE = multipart('alternative', [text('plain'), text('<b>html</b>', 'text/html')]);

describe('what a mail shows', () => {
  it('shows as text what names no whole type, and parts without a boundary', async () => {
    for (const type of ['text', 'multipart/mixed', 'multipart/mixed; boundary=b', 'multipart/alternative']) {
      const mail = await read(message(...HEADER, `Content-Type: ${type}`, '', 'hello'));
      expect([type, ...mail.attachments!.map(({ id, content_type, content }) => [id, content_type, content])]).toEqual([
        type,
        ['1', 'text/plain', 'hello'],
      ]);
    }
    const bytes = await read(message(...HEADER, 'Content-Type: application', '', 'hello'));
    expect(summary(bytes)).toEqual(['1 application/octet-stream attachment part_1.bin']);
  });

  it('MG-06 tells plain text as it is, or as HTML', async () => {
    const mail = message(...HEADER, ...text('a < b\r\nhttp://x.example'));
    expect((await read(mail, { view: 'raw' })).attachments![0]!.content).toBe('a < b\nhttp://x.example');
    const [body] = (await read(mail)).attachments!;
    expect(body).toMatchObject({ id: '1', content_type: 'text/plain', disp: 'inline', truncated: false });
    expect(body!.content).toMatch(/^a &lt; b<br><a href="http:\/\/x\.example" /);
  });

  it('chooses of two forms of a text the one that is asked for', async () => {
    const mail = message(...HEADER, ...ALTERNATIVE);
    expect(summary(await read(mail))).toEqual(['2 text/html inline']);
    expect(summary(await read(mail, { view: 'text' }))).toEqual([
      '1 text/plain inline',
      '2 text/html alternative part_2.html',
    ]);
    expect(summary(await read(mail, { view: 'textNoHtmlAttach' }))).toEqual(['1 text/plain inline']);
    expect(summary(await read(mail, { view: 'raw' }))).toEqual(['1 text/plain inline', '2 text/html inline']);
    expect((await read(mail)).attachment).toBe(false);
    for (const blank of ['', '<html><body></body></html>', '<body><br></body>', '<body>&nbsp;</body>']) {
      const empty = message(...HEADER, ...multipart('alternative', [text('plain'), text(blank, 'text/html')]));
      for (const options of [{}, { view: 'noimg', embedded: true }] as const)
        expect((await read(empty, options)).attachments).toMatchObject([{ id: '1', content: 'plain' }]);
    }
    const picture = text('<img src="https://x.example/p.png">', 'text/html');
    const shown = await read(message(...HEADER, ...multipart('alternative', [text('plain'), picture])), {
      view: 'noimg',
    });
    expect(shown).toMatchObject({ modified: 1, attachments: [{ id: '2', content_type: 'text/html' }] });
    const html = message(...HEADER, ...text('<p>only <b>html</b></p>', 'text/html'));
    expect((await read(html, { view: 'text' })).attachments).toMatchObject([
      { id: '1', content_type: 'text/plain', content: 'only html' },
    ]);
  });

  it('tells of mails within it whether they have files, as of itself', async () => {
    const picture = ['Content-Type: image/png', 'Content-ID: <logo@x>', '', 'AAAA'];
    const related = multipart('related', [text('<img src="cid:logo@x">', 'text/html'), picture]);
    const nested = (lines: string[]) =>
      message(...HEADER, ...multipart('mixed', [['Content-Type: message/rfc822', '', ...HEADER, ...lines]], 'outer'));
    expect((await read(nested(related))).nested_msgs).toMatchObject([{ attachment: false }]);
    const mixed = multipart('mixed', [text('x'), picture]);
    expect(await read(nested(mixed))).toMatchObject({ attachment: true, nested_msgs: [{ attachment: true }] });
  });

  it('MG-09 tells text, then files', async () => {
    const mail = message(
      ...HEADER,
      ...multipart('mixed', [
        text('see below'),
        file('a.xls', 'application/vnd.ms-excel', 'x'.repeat(1000)),
        file('b.png', 'image/png', 'png'),
      ]),
    );
    const shown = await read(mail);
    expect(summary(shown)).toEqual([
      '1 text/plain inline',
      '2 application/vnd.ms-excel attachment a.xls',
      '3 image/png attachment b.png',
    ]);
    expect(shown.attachments![1]!.content).toBeNull();
    expect(shown.attachment).toBe(true);
    expect((await read(mail, { exactSizes: true })).attachments![1]!.size).toBe(1000);
    expect(Math.abs(shown.attachments![1]!.size! - 1000)).toBeLessThan(50);
    expect(String(await download(mail, { id: '3' }))).toBe('png');
  });

  it('shows pictures of the mail where the text names them', async () => {
    const related = multipart('related', [
      text('<img src="cid:logo@x"><img src="cid:none@x"><img src="https://x.example/p.png">', 'text/html'),
      ['Content-Type: image/png', 'Content-ID: <logo@x>', 'Content-Transfer-Encoding: base64', '', 'AAAA'],
    ]);
    const mail = message(...HEADER, ...related);
    const shown = await read(mail, { view: 'noimg', embedded: true, cidUrlPrefix: '/image/mail/picture?uid=' });
    expect(shown.attachments![0]!.content).toContain('<img src="/image/mail/picture?uid=logo%40x" /><img /><img />');
    expect(shown.attachments![1]).toMatchObject({ id: '2', disp: 'inline', cid: 'logo@x', filename: 'part_2.png' });
    expect(shown.modified).toBe(1);
    expect((await read(mail)).modified).toBe(0);
    expect(await download(mail, { cid: 'logo@x' })).toHaveLength(3);
  });

  it('shows pictures beside a text at its end, unless it refers to them', async () => {
    const picture = (...headers: string[]) => ['Content-Type: image/png', ...headers, '', 'x'];
    const inline = picture('Content-Disposition: inline; filename=a.png');
    const named = picture('Content-Disposition: inline', 'Content-ID: <b@x>');
    const shown = picture('Content-Disposition: inline', 'Content-ID: <c@x>');
    const saved = picture('Content-Disposition: attachment; filename=d.png');
    const others = [
      inline,
      named,
      shown,
      saved,
      ['Content-Type: image/svg+xml', 'Content-Disposition: inline', '', 'x'],
    ];
    const options = { appendsPictures: true, cidUrlPrefix: '/picture?id=1&uid=' };
    const added = ['part_2.png', 'b%40x'].map((uid) => `<p><img src="/picture?id=1&amp;uid=${uid}" /></p>`).join('');
    const html = '<div>x<img src="cid:c@x"></div>';
    const rich = message(...HEADER, ...multipart('mixed', [text(html, 'text/html'), ...others]));
    const body = async (mail: Buffer, more: Partial<ReadOptions> = {}) =>
      (await read(mail, { ...options, ...more })).attachments![0]!.content!;
    expect(await body(rich)).toContain(`uid=c%40x" /></div>${added}</body></html>`);
    expect((await body(rich, { view: 'noimg', embedded: true })).endsWith(`</div>${added}</div>`)).toBe(true);
    const files = (await read(rich, options)).attachments!.slice(1);
    expect(files.map(({ id, disp }) => `${id} ${disp}`)).toEqual([
      '2 inline',
      '3 inline',
      '4 inline',
      '5 attachment',
      '6 inline',
    ]);
    const plain = message(...HEADER, ...multipart('mixed', [text('x'), inline, named]));
    expect(await body(plain)).toBe(`x${added}`);
    expect([await body(plain, { view: 'text' }), await body(plain, { isPlainTextRaw: true })]).toEqual(['x', 'x']);
    expect(await body(plain, { appendsPictures: false })).toBe('x');
  });

  it('MG-16 unpacks winmail.dat', async () => {
    const dat = tnef([
      { name: 'Bericht ä.txt', content: 'one' },
      { name: '../../two.pdf', content: 'two' },
    ]);
    const mail = message(
      ...HEADER,
      ...multipart('mixed', [text('hi'), file('winmail.dat', 'application/ms-tnef', dat)]),
    );
    expect(summary(await read(mail))).toEqual([
      '1 text/plain inline',
      '2.1 text/plain attachment Bericht ä.txt',
      '2.2 application/pdf attachment two.pdf',
    ]);
    expect(String(await download(mail, { id: '2.2' }))).toBe('two');
    await expect(download(mail, { id: '2.3' })).rejects.toEqual(new MessageError('noSuchPart'));
    const alone = message(...HEADER, ...file('winmail.dat', 'application/ms-tnef', dat));
    expect((await read(alone)).attachments![0]).toMatchObject({ content: 'the text', disp: 'inline' });
    const broken = message(...HEADER, ...file('winmail.dat', 'application/ms-tnef', 'no such thing'));
    expect(summary(await read(broken))).toEqual(['1 application/ms-tnef attachment winmail.dat']);
  });

  it('MG-16 shows the body of winmail.dat when the mail has none', async () => {
    const compressed = (rtf: string): Buffer => {
      const header = Buffer.alloc(16);
      header.writeUInt32LE(rtf.length, 4);
      header.write('MELA', 8);
      return Buffer.concat([header, Buffer.from(rtf, 'latin1')]);
    };
    const mailOf = (body: Parameters<typeof tnef>[1]) =>
      message(...HEADER, ...file('winmail.dat', 'application/ms-tnef', tnef([{ name: 'a.txt', content: 'A' }], body)));
    const bodyOf = async (body: Parameters<typeof tnef>[1], view: ReadOptions['view']) => {
      const { attachments } = await read(mailOf(body), { view });
      expect(attachments!.map(({ filename }) => filename)).toEqual([undefined, 'a.txt']);
      return [attachments![0]!.content_type, attachments![0]!.content];
    };
    const rtf = { compressedRtf: compressed("{\\rtf1\\ansi Gr\\'fc\\'dfe {\\b now}}") };
    expect(await bodyOf(rtf, 'html')).toEqual(['text/html', expect.stringContaining('Grüße <b>now</b>')]);
    expect(await bodyOf(rtf, 'text')).toEqual(['text/plain', expect.stringContaining('Grüße now')]);
    const tags = '{\\*\\htmltag64 <p>}hi{\\*\\htmltag84 <script>x</script>}{\\*\\htmltag72 </p>}';
    const html = { compressedRtf: compressed(`{\\rtf1\\ansi\\fromhtml1 ${tags}}`), text: 'plain' };
    const [type, content] = await bodyOf(html, 'html');
    expect(type).toBe('text/html');
    expect(content).toContain('<p>hi</p>');
    expect(content).not.toContain('script');
    expect(await bodyOf(html, 'text')).toEqual(['text/plain', 'plain']);
  });

  it('MG-18 leaves links of malicious mails as text where HTML is shown as text', async () => {
    const link = 'https://bad.example/';
    const html = message(...HEADER, 'Content-Type: text/html', '', `<p>${link}</p>`);
    const inTnef = message(...HEADER, ...file('winmail.dat', 'application/ms-tnef', tnef([], { text: link })));
    for (const mail of [html, inTnef]) {
      const contentOf = async (neutralizeLinks: boolean) =>
        (await read(mail, { view: 'text', neutralizeLinks })).attachments![0]!.content;
      expect(await contentOf(false)).toContain('<a href=');
      expect(await contentOf(true)).toBe(link);
    }
  });

  it('takes uuencoded files out of texts', async () => {
    const lines = (content: string) => content.replaceAll('\n', '\r\n');
    const first = lines(`one\n${uuencode('../a.pdf', 'A')}two\n`);
    const second = lines(uuencode('b', 'B') + uuencode('c.txt', 'C'));
    const mail = message(
      ...HEADER,
      ...multipart('mixed', [text(first), text(second), file('d.bin', 'application/x', 'D')]),
    );
    const shown = await read(mail);
    expect(summary(shown)).toEqual([
      '1 text/plain inline',
      '1.1 application/pdf attachment a.pdf',
      '2.1 application/octet-stream attachment b',
      '2.2 text/plain attachment c.txt',
      '3 application/x attachment d.bin',
    ]);
    expect(shown.attachments![0]!.content).toBe('one<br>two');
    expect(shown.attachments![1]).toMatchObject({ size: 1, content: null });
    for (const [id, content] of Object.entries({ 1.1: 'A', 2.1: 'B', 2.2: 'C' }))
      expect(String(await download(mail, { id }))).toBe(content);
    for (const id of ['1.2', '2.3', '3.1', '9.1'])
      await expect(download(mail, { id })).rejects.toEqual(new MessageError('noSuchPart'));
    expect(await listTextFiles(await parseMessage(mail))).toEqual(['1.1', '2.1', '2.2']);
    // Unchanged is unchanged.
    const [raw, ...files] = (await read(mail, { view: 'raw' })).attachments!;
    expect(raw!.content).toContain('begin 644 ../a.pdf');
    expect(files.map(({ id }) => id)).toEqual(['2', '3']);
    expect((await read(mail, { view: 'text', isPlainTextRaw: true })).attachments![0]!.content).toBe('one\ntwo\n');
  });

  it('tells what is to be done with a calendar by its first lines when its header does not', async () => {
    const typeOf = async (type: string, ...lines: string[]) => {
      const calendar = [`Content-Type: ${type}`, '', 'BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'];
      const { attachments } = await read(message(...HEADER, ...multipart('mixed', [text('hi'), calendar])));
      expect(attachments![1]).toMatchObject({ id: '2', disp: 'attachment', content: null });
      return attachments![1]!.content_type;
    };
    const calendar = 'text/calendar';
    expect(await typeOf(calendar, 'VERSION:2.0', 'METHOD:request')).toBe('text/calendar; method=REQUEST');
    expect(await typeOf(calendar, 'PRODID:long', '  name', 'METHOD;X-A=b:CAN', ' CEL')).toBe(
      'text/calendar; method=CANCEL',
    );
    expect(await typeOf('text/calendar; method=reply', 'METHOD:REQUEST')).toBe('text/calendar; method=REPLY');
    expect(await typeOf(calendar, 'VERSION:2.0')).toBe(calendar);
    expect(await typeOf(calendar, 'METHOD:a"; b')).toBe(calendar);
    expect(await typeOf(calendar, 'BEGIN:VEVENT', 'METHOD:REQUEST', 'END:VEVENT')).toBe(calendar);
    expect(await typeOf(calendar, `X-LONG:${'x'.repeat(5_000)}`, 'METHOD:REQUEST')).toBe(calendar);
    expect(await typeOf('text/vcard', 'METHOD:REQUEST')).toBe('text/vcard');
    const encoded = file('a.ics', calendar, 'BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\n'.padEnd(9_000, 'x'));
    const [shown] = (await read(message(...HEADER, ...encoded))).attachments!;
    expect(shown).toMatchObject({ content_type: 'text/calendar; method=PUBLISH', filename: 'a.ics' });
  });

  it('reads of the calendars of a mail no more than their first lines, and not of all', async () => {
    const calendar = ['Content-Type: text/calendar', '', `METHOD:ADD\r\n${'x'.repeat(100_000)}`];
    const parts = await parseMessage(message(...HEADER, ...multipart('mixed', Array<string[]>(30).fill(calendar))));
    let fetched = 0;
    const { attachments } = await read({
      ...parts,
      fetchPart: async function* (id, maxBytes) {
        for await (const chunk of parts.fetchPart(id, maxBytes)) {
          fetched += chunk.length;
          yield chunk;
        }
      },
    });
    expect(attachments!.filter(({ content_type }) => content_type === 'text/calendar; method=ADD')).toHaveLength(20);
    expect(fetched).toBe(20 * 2_048);
  });

  it('shows text in other markups as HTML', async () => {
    const rtf = '{\\rtf1\\ansi {\\b rich} <script>text\\par}';
    const shownAs = async (view: ReadOptions['view'], ...part: string[]) => {
      const [body, ...others] = (await read(message(...HEADER, ...part), { view })).attachments!;
      expect(others).toEqual([]);
      return [body!.content_type, body!.content];
    };
    const enriched = text('<bold>rich</bold> <<script>text', 'text/enriched');
    for (const part of [enriched, text(rtf, 'text/rtf'), text(rtf, 'application/rtf')]) {
      expect(await shownAs('html', ...part)).toEqual([
        'text/html',
        expect.stringContaining('<b>rich</b> &lt;script&gt;text'),
      ]);
      expect(await shownAs('text', ...part)).toEqual(['text/plain', expect.stringMatching(/^rich &lt;script&gt;text/)]);
      expect((await shownAs('raw', ...part))[1]).toBe(part.at(-1));
    }
    expect(await shownAs('html', ...text('<italic>a</italic><nl>b', 'text/richtext'))).toEqual([
      'text/html',
      expect.stringContaining('<body><i>a</i><br />\nb</body>'),
    ]);
    expect(await shownAs('html', ...text('<color><param>url(x)</param>a</color>', 'text/enriched'))).toEqual([
      'text/html',
      expect.stringContaining('<body><font color="urlx">a</font></body>'),
    ]);
  });

  it('chooses between forms of a text, and leaves documents files', async () => {
    const enriched = text('<bold>rich</bold>', 'text/enriched');
    const two = message(...HEADER, ...multipart('alternative', [text('plain'), enriched]));
    expect((await read(two)).attachments).toMatchObject([{ id: '2', content: expect.stringContaining('<b>rich</b>') }]);
    expect(summary(await read(two, { view: 'textNoHtmlAttach' }))).toEqual(['1 text/plain inline']);
    const three = [text('plain'), enriched, text('<p>html</p>', 'text/html')];
    expect(summary(await read(message(...HEADER, ...multipart('alternative', three))))).toEqual(['3 text/html inline']);
    const document = file('a.rtf', 'application/rtf', '{\\rtf1 a}');
    for (const subtype of ['mixed', 'alternative'])
      expect(summary(await read(message(...HEADER, ...multipart(subtype, [text('plain'), document]))))).toEqual([
        '1 text/plain inline',
        '2 application/rtf attachment a.rtf',
      ]);
  });

  it('MG-20 shows ten mails within each other, and tells the id of the next', async () => {
    let inner = [...HEADER, 'X-Depth: 12', ...text('innermost')];
    for (let depth = 11; depth >= 0; depth--)
      inner = [
        `Subject: ${depth}`,
        ...multipart('mixed', [text('x'), ['Content-Type: message/rfc822', '', ...inner]], `b${depth}`),
      ];
    let mail = await read(message(...inner));
    for (let depth = 1; depth <= 10; depth++) {
      mail = mail.nested_msgs![0]!;
      expect(mail).toMatchObject({ subject: String(depth), id: '2' + '.2'.repeat(depth - 1) });
    }
    expect(mail.nested_msgs).toEqual([{ id: '2' + '.2'.repeat(10) }]);
  });

  it('numbers the parts of mails within a mail as servers do', async () => {
    const single = ['Content-Type: message/rfc822', '', 'Subject: inner', ...text('inner text')];
    const several = [
      'Content-Type: message/rfc822',
      '',
      'Subject: files',
      ...multipart('mixed', [text('t'), file('f.bin', 'application/x', 'f')]),
    ];
    const source = message(...HEADER, ...multipart('mixed', [text('hi'), single, several], 'outer'));
    const mail = await read(source);
    expect(mail.nested_msgs).toMatchObject([
      { id: '2', subject: 'inner', attachments: [{ id: '2.1', content: 'inner text' }] },
      { id: '3', subject: 'files', attachments: [{ id: '3.1' }, { id: '3.2', filename: 'f.bin' }] },
    ]);
    expect(String(await download(source, { id: '2' }))).toBe(
      'Subject: inner\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ninner text',
    );
    expect((await read(source, { nestedMessages: false })).nested_msgs).toEqual([{ id: '2' }, { id: '3' }]);
  });

  it.each(['base64', 'quoted-printable'])('reads mails within a mail that are encoded in %s', async (encoding) => {
    const encode = (inner: Buffer) => (encoding === 'base64' ? inner.toString('base64') : inner.toString('latin1'));
    const encoded = (...lines: string[]) => [
      ...['Content-Type: message/rfc822; name=b.eml', `Content-Transfer-Encoding: ${encoding}`, ''],
      encode(message(...lines)),
    ];
    const source = message(
      ...HEADER,
      ...multipart('mixed', [
        text('hi'),
        encoded('Subject: inner', '', 'inner text'),
        encoded('Subject: files', ...multipart('mixed', [text('t'), file('f.bin', 'application/x', 'f')], 'inner')),
      ]),
    );
    const parts = await openEncodedMessages(await parseMessage(source));
    expect((await read(parts)).nested_msgs).toMatchObject([
      { id: '2', filename: 'b.eml', subject: 'inner', attachments: [{ id: '2.1', content: 'inner text' }] },
      { id: '3', subject: 'files', attachments: [{ id: '3.1' }, { id: '3.2', filename: 'f.bin' }] },
    ]);
    expect((await openAttachment(parts, { id: '3.2' })).filename).toBe('f.bin');
    expect(String(await download(source, { id: '2' }))).toBe('Subject: inner\r\n\r\ninner text');
  });

  it('keeps encoded mails within a mail as files that are too large to be read', async () => {
    const inner = Buffer.from(`Subject: x\r\n\r\n${'x'.repeat(9 * 1024 * 1024)}`).toString('base64');
    const part = ['Content-Type: message/rfc822; name=x.eml', 'Content-Transfer-Encoding: base64', '', inner];
    const source = await openEncodedMessages(await parseMessage(message(...HEADER, ...multipart('mixed', [part]))));
    const mail = await read(source);
    expect([mail.nested_msgs, summary(mail)]).toEqual([undefined, ['1 message/rfc822 attachment x.eml']]);
  });

  it('MG-21 shows signed text, and the signature as a file', async () => {
    const signed = multipart('signed', [text('signed'), file('smime.p7s', 'application/pkcs7-signature', 'sig')]);
    expect(summary(await read(message(...HEADER, ...signed)))).toEqual([
      '1 text/plain inline',
      '2 application/pkcs7-signature attachment smime.p7s',
    ]);
    const sealed = message(...HEADER, ...file('smime.p7m', 'application/pkcs7-mime', 'sealed'));
    expect(summary(await read(sealed))).toEqual(['1 application/pkcs7-mime attachment smime.p7m']);
  });

  it('MG-22 shows a report, its status as a file and the mail it is about', async () => {
    const report = multipart('report', [
      text('not delivered'),
      ['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; x.example'],
      ['Content-Type: message/rfc822', '', ...HEADER, ...text('lost')],
    ]);
    const mail = await read(message(...HEADER, ...report));
    expect(summary(mail).map((line) => line.replace(/ part_.*/, ''))).toEqual([
      '1 text/plain inline',
      '2 message/delivery-status attachment',
    ]);
    expect(mail.nested_msgs).toMatchObject([{ id: '3', subject: 'Hi' }]);
  });

  it('MG-23 reads of a long text no more than is shown', async () => {
    const parts = await parseMessage(message(...HEADER, ...text('x'.repeat(100_000))));
    let fetched = 0;
    const counting: PartSource = {
      ...parts,
      fetchPart: async function* (id, maxBytes) {
        for await (const chunk of parts.fetchPart(id, maxBytes)) {
          fetched += chunk.length;
          yield chunk;
        }
      },
    };
    const [body] = (await read(counting, { maxBodyBytes: 5_000 })).attachments!;
    expect(body).toMatchObject({ truncated: true, content: 'x'.repeat(5_000) });
    expect(fetched).toBe(5_000);
    expect((await read(counting, { maxLength: 10 })).attachments![0]).toMatchObject({
      truncated: true,
      content: 'x'.repeat(10),
    });
  });

  it('MG-24 lists 400 files and reads none of them', async () => {
    const parts = await parseMessage(
      message(
        ...HEADER,
        ...multipart('mixed', [
          text('many'),
          ...Array.from({ length: 400 }, (_, at) => file(`${at}.bin`, 'application/x', 'x')),
        ]),
      ),
    );
    const fetched: string[] = [];
    const shown = await read({
      ...parts,
      fetchPart: (id, maxBytes) => {
        fetched.push(id);
        return parts.fetchPart(id, maxBytes);
      },
    });
    expect(shown.attachments).toHaveLength(401);
    expect(fetched).toEqual(['1']);
  });

  it('MG-29 joins texts that follow each other', async () => {
    const flowed = (content: string) => ['Content-Type: text/plain; charset=utf-8; format=flowed', '', content];
    const mail = message(...HEADER, ...multipart('mixed', [flowed('one \r\ntwo'), flowed('three \r\nfour')]));
    expect((await read(mail)).attachments).toMatchObject([{ id: '1', content: 'one two<br>three four' }]);
    expect((await read(mail, { view: 'raw' })).attachments).toMatchObject([
      { id: '1', content: 'one \ntwo' },
      { id: '2', content: 'three \nfour' },
    ]);
  });

  it('says that a text could not be shown, and shows the rest', async () => {
    const small = new ContentWorkers({ maxBytes: 10 });
    const source = await parseMessage(
      message(...HEADER, ...multipart('mixed', [text('longer than ten'), file('a.bin', 'application/x', 'x')])),
    );
    const { mail, failures } = await readMail(source, small, { view: 'html', failureText: 'Too big' });
    expect(failures).toEqual(['size']);
    expect(mail.attachments).toMatchObject([{ content: 'Too big', truncated: true }, { filename: 'a.bin' }]);
    await small.close();
  });
});

describe('headers of a mail', () => {
  const header = async (...lines: string[]) => read(message(...lines, ...text('x')));

  it('MC-06 tells the priority', async () => {
    expect((await header('Importance: high')).priority).toBe(1);
    expect((await header('X-Priority: 5 (Lowest)')).priority).toBe(5);
    expect((await header('X-Priority: 5', 'Importance: High')).priority).toBe(1);
    expect((await header('Subject: x')).priority).toBe(3);
  });

  it('MC-11 MC-12 MC-13 reads addresses', async () => {
    expect((await header('From: a@x.example, "Doe, Jane" <b@x.example>', 'Sender: c@x.example')).from).toEqual([
      [null, 'a@x.example'],
      ['"Doe, Jane"', 'b@x.example'],
    ]);
    expect((await header('To: undisclosed-recipients:;')).to).toEqual([]);
    expect((await header('To: friends: a@x.example, =?utf-8?Q?J=C3=B6rg=2C_B?= <b@x.example>;')).to).toEqual([
      [null, 'a@x.example'],
      ['"Jörg, B"', 'b@x.example'],
    ]);
    expect((await header('From: a@xn--mller-kva.example')).from).toEqual([[null, 'a@müller.example']]);
    expect((await header('From: nobody in particular')).from).toEqual([[null, 'nobody in particular']]);
    expect((await header('Subject: x')).cc).toEqual([]);
  });

  it('MC-14 reads subjects without an encoding, encoded twice, and folded', async () => {
    expect((await header('Subject: Gr\xfc\xdfe')).subject).toBe('Grüße');
    expect((await header(`Subject: ${Buffer.from('Grüße €').toString('latin1')}`)).subject).toBe('Grüße €');
    expect((await header('Subject: =?utf-8?Q?Gr=C3=BC?=', ' =?utf-8?Q?=C3=9Fe?=')).subject).toBe('Grüße');
    const once = '=?utf-8?B?R3LDvMOfZQ==?=';
    expect((await header(`Subject: =?utf-8?B?${Buffer.from(once).toString('base64')}?=`)).subject).toBe('Grüße');
    expect(await header('From: a@x.example')).not.toHaveProperty('subject');
  });

  it('MC-15 reads dates or leaves them out', async () => {
    expect((await header('Date: Thu, 1 Jan 1970 00:00:00 GMT')).sent_date).toBe(0);
    expect((await header('Date: Mon, 02 Jan 2023 10:00:00 +0100 (CET)')).sent_date).toBe(Date.UTC(2023, 0, 2, 9));
    expect(await header('Date: some day')).not.toHaveProperty('sent_date');
    for (const date of ['31 Feb 2023', 'Fri, 01 Jan 0099 00:00:00 GMT'])
      expect(Number.isNaN((await header(`Date: ${date}`)).sent_date)).toBe(false);
  });

  it('tells other headers under their names, lists where there are several', async () => {
    const { headers, disp_notification_to: receiptTo } = await header(
      'X-One: 1',
      'Received: a',
      'Received: b',
      'Message-ID: <m@x.example>',
      'Disposition-Notification-To: A <a@x.example>',
      '__proto__: x',
    );
    expect(headers).toEqual({ 'X-One': '1', Received: ['a', 'b'], 'Message-ID': '<m@x.example>', ['__proto__']: 'x' });
    expect(receiptTo).toBe('a@x.example');
  });

  it('takes names of files for what they are, and nothing else', async () => {
    const named = async (parameter: string) =>
      (
        await read(
          message(...HEADER, 'Content-Type: application/pdf', `Content-Disposition: attachment; ${parameter}`, '', 'x'),
        )
      ).attachments![0]!.filename;
    expect(await named("filename*=utf-8''%E2%82%AC%20rates.pdf")).toBe('€ rates.pdf');
    expect(await named('filename*0=long; filename*1=er.pdf')).toBe('longer.pdf');
    expect(await named('filename="=?utf-8?Q?=C3=BC.pdf?="')).toBe('ü.pdf');
    expect(await named('filename="..\\\\..\\\\etc\\\\passwd"')).toBe('passwd');
    expect(await named('filename="/etc/shadow"')).toBe('shadow');
    expect(await named('filename=".."')).toBe('part_1.pdf');
    expect(await named(`filename="x${Buffer.from('\u202e').toString('latin1')}fdp.exe"`)).toBe('xfdp.exe');
  });
});

describe('messages of any kind', () => {
  const types = [
    'text/plain',
    'text/html',
    'image/png',
    'application/ms-tnef',
    'text/enriched',
    'text/richtext',
    'text/rtf',
    'text/calendar',
    'application/pdf',
    'text/calendar; method=request',
    'x',
    '',
  ];
  const encodings = ['7bit', 'base64', 'quoted-printable', 'x-unheard-of', ''];
  const charsets = ['utf-8', 'iso-8859-1', 'x-none', 'utf-16le', 'iso-2022-jp', 'utf-7', ''];
  const subtypes = ['mixed', 'alternative', 'related', 'signed', 'report', 'digest', 'x-unheard-of'];
  const content = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }).map((value) => Buffer.from(value).toString('latin1')),
    fc.constantFrom(
      '<p onclick=x>hi',
      'SGVsbG8=',
      '=C3=A',
      '> a\r\n>> b',
      '\0\xff\xfe',
      '--b-mixed--',
      '',
      uuencode('a', 'x'),
    ),
  );
  const leaf = fc
    .tuple(fc.constantFrom(...types), fc.constantFrom(...charsets), fc.constantFrom(...encodings), content)
    .map(([type, charset, encoding, body]) => [
      `Content-Type: ${type}; charset="${charset}"`,
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      body,
    ]);
  const { part } = fc.letrec<{ part: string[] }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      leaf,
      fc
        .tuple(fc.constantFrom(...subtypes), fc.array(tie('part'), { maxLength: 4 }), fc.string({ maxLength: 5 }))
        .map(([subtype, parts, boundary]) => multipart(subtype, parts, `b${boundary}`)),
      tie('part').map((inner) => ['Content-Type: message/rfc822', '', 'Subject: inner', ...inner]),
    ),
  }));
  const header = fc
    .tuple(
      fc.constantFrom('From', 'To', 'Subject', 'Date', 'X-Priority', 'Content-Disposition', 'Content-ID', ''),
      content,
    )
    .map(([name, value]) => `${name}: ${value}`);
  /** Bytes that are cut out, doubled or changed. */
  const damage = fc.array(fc.tuple(fc.nat(5_000), fc.nat(40), fc.constantFrom('cut', 'double', 'change')), {
    maxLength: 4,
  });
  const mails = fc.tuple(fc.array(header, { maxLength: 6 }), part, damage).map(([headers, body, damages]) =>
    damages.reduce(
      (bytes, [at, length, kind]) => {
        const start = at % (bytes.length + 1);
        const piece = bytes.subarray(start, start + length);
        const middle =
          kind === 'cut' ? [] : kind === 'double' ? [piece, piece] : [Buffer.alloc(piece.length, at % 256)];
        return Buffer.concat([bytes.subarray(0, start), ...middle, bytes.subarray(start + length)]);
      },
      message(...headers, ...body),
    ),
  );

  it('opens every one, broken or not, and every file it lists', async () => {
    await fc.assert(
      fc.asyncProperty(
        mails,
        fc.constantFrom('html', 'text', 'noimg', 'raw', 'textNoHtmlAttach'),
        async (bytes, view) => {
          const source = await parseMessage(bytes);
          const { mail, failures } = await readMail(source, workers, { view: view });
          expect(failures).toEqual([]);
          expect(() => JSON.stringify(mail)).not.toThrow();
          for (const { id, content: shown } of mail.attachments!.slice(0, 3)) {
            if (shown !== null) continue;
            for await (const chunk of (await openAttachment(source, { id })).content)
              expect(chunk).toBeInstanceOf(Buffer);
          }
        },
      ),
      { numRuns: 1_500 },
    );
  }, 120_000);
});
