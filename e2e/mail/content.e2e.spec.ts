import { MailData } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { unzipped } from '../attachments/zip';
import { wrongObject } from '../contract-models';
import { startMail, type MailFixtures } from './mailbox';

let at: MailFixtures;
beforeAll(async () => {
  at = await startMail(['ann']);
  await at.imap.mailboxCreate('Content');
}, 120_000);
afterAll(() => at?.close());

const FOLDER = 'default0/Content';
const HEADER = [
  'From: "Doe, Jane" <jane@x.example>',
  'To: ann@mail.test',
  'Subject: Hi',
  'X-Mine: yes',
  'MIME-Version: 1.0',
];
const get = async (id: string, parameters: object = {}) => {
  const { data } = await at.cast.U1.get('mail', 'get', { folder: FOLDER, id, ...parameters });
  expect(wrongObject(MailData, data, 'data', false)).toEqual([]);
  return data;
};
const store = (...lines: string[]): Promise<string> => storeIn('Content', ...lines);
async function storeIn(folder: string, ...lines: string[]): Promise<string> {
  const made = await at.imap.append(folder, Buffer.from(lines.join('\r\n'), 'latin1'));
  return String((made as { uid?: number }).uid);
}
const mixed = (...parts: string[][]) => [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  ...parts.flatMap((part) => ['--b', ...part]),
  '--b--',
];
const TEXT = ['Content-Type: text/plain; charset=utf-8', '', 'see below'];
const file = (name: string, content: string) => [
  ...['Content-Type: application/pdf', `Content-Disposition: attachment; filename="${name}"`],
  ...['Content-Transfer-Encoding: base64', '', Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')],
];

describe('the content of mails', () => {
  it('MG-01 tells the fields and the text, and whether it was unread', async () => {
    const id = await store(...HEADER, ...TEXT);
    const mail = await get(id);
    expect(mail).toMatchObject({
      id,
      folder_id: FOLDER,
      subject: 'Hi',
      from: [['"Doe, Jane"', 'jane@x.example']],
      headers: { 'X-Mine': 'yes' },
      unseen: true,
      modified: 0,
      attachments: [{ id: '1', content_type: 'text/plain', disp: 'inline', content: 'see below', truncated: false }],
    });
    expect(mail.flags & 32).toBe(32);
    expect(mail.unread).toBe((await at.cast.U1.get('mail', 'examine', { folder: FOLDER })).data.unread);
    const again = await get(id);
    expect([again.unseen, again.unread]).toEqual([false, undefined]);
  });

  it('MG-06 MG-17 MG-27 shows text as HTML, as it is for editors, and its source beside it', async () => {
    const id = await store(...HEADER, 'Content-Type: text/plain', '', 'a < b', 'http://x.example');
    expect((await get(id, { view: 'html' })).attachments[0].content).toMatch(
      /^a &lt; b<br><a href="http:\/\/x\.example" target="_blank" rel="noopener noreferrer">/,
    );
    const plain = 'a < b\nhttp://x.example';
    expect((await get(id, { view: 'raw' })).attachments[0].content).toBe(plain);
    expect((await get(id, { edit: 1 })).attachments[0].content).toBe(plain);
    expect((await get(id, { attach_src: 1 })).source).toMatch(/^From: .*http:\/\/x\.example/s);
  });

  it('gives the editor of a draft all of its pictures, and of no other mail those of other servers', async () => {
    const lines = [...HEADER, 'Content-Type: text/html', '', '<p>Hi <img src="https://x.example/p.png"></p>'];
    const made = await at.imap.append('Content', Buffer.from(lines.join('\r\n')), ['\\Draft']);
    const draft = String((made as { uid?: number }).uid);
    const picture = 'src="https://x.example/p.png"';
    const { data: edited } = await at.cast.U1.get('mail', 'get', { folder: FOLDER, id: draft, edit: 1 });
    expect([edited.attachments[0].content.includes(picture), edited.modified]).toEqual([true, 0]);
    const { data: shown } = await at.cast.U1.get('mail', 'get', { folder: FOLDER, id: draft });
    for (const { attachments, modified } of [shown, await get(await store(...lines), { edit: 1 })])
      expect([attachments[0].content.includes(picture), modified]).toEqual([false, 1]);
  });

  it('MG-09 MG-24 lists files without reading them', async () => {
    const large = 'x'.repeat(3_000_000);
    const id = await store(
      ...HEADER,
      ...mixed(TEXT, file('large.pdf', large), ...Array.from({ length: 100 }, (_, n) => file(`${n}.pdf`, 'x'))),
    );
    const mail = await get(id);
    expect(mail.attachments).toHaveLength(102);
    expect(mail.attachments[1]).toMatchObject({ id: '2', filename: 'large.pdf', disp: 'attachment', content: null });
    expect(mail.attachment).toBe(true);
    expect((await get(id, { exact_length: true })).attachments[1].size).toBe(3_000_000);
  });

  it('MH-04 MH-08 shows HTML that is safe, and pictures of other servers when they are asked for', async () => {
    const html = '<script>x</script><p onclick="x">Hi <img src="https://x.example/p.png"><img src="cid:logo@x"></p>';
    const related = [
      'Content-Type: multipart/related; boundary=r',
      '',
      ...['--r', 'Content-Type: text/html; charset=utf-8', '', html],
      ...[
        '--r',
        'Content-Type: image/png',
        'Content-ID: <logo@x>',
        'Content-Transfer-Encoding: base64',
        '',
        'AAAA',
        '--r--',
      ],
    ];
    const id = await store(...HEADER, ...related);
    const blocked = await get(id, { embedded: true });
    expect(blocked.attachments[0].content).toMatch(
      /^<div id="svc-\w+"><p>Hi <img \/><img src="\S*\/image\/mail\/picture\?folder=default0%2FContent&amp;id=\d+&amp;uid=logo%40x" \/><\/p>/,
    );
    expect(blocked.modified).toBe(1);
    const shown = await get(id, { forceImages: true });
    expect(shown.attachments[0].content).toContain('<img src="https://x.example/p.png" />');
    expect(shown.modified).toBe(0);
  });

  it('shows pictures of mails by the host that the operator names', async () => {
    const { admin, contextId } = at.cast;
    const setting = `/admin/v1/contexts/${contextId}/config/com.example.mail.imageHost`;
    const part = ['Content-Type: text/html', '', '<img src="cid:a@x">'];
    const picture = ['Content-Type: image/png', 'Content-ID: <a@x>', '', 'x'];
    const id = await store(...HEADER, 'Content-Type: multipart/related; boundary=b', ...mixed(part, picture).slice(1));
    await admin.expect('PUT', setting, { value: 'https://images.example/' });
    const shown = async (): Promise<string> => (await get(id)).attachments[0].content;
    await until(async () => (await shown()).includes('https://images.example'));
    expect(await shown()).toMatch(/src="https:\/\/images\.example(?:\/\w+)*\/image\/mail\/picture\?folder=/);
    await admin.expect('DELETE', setting);
    await until(async () => !(await shown()).includes('https://images.example'));
  });

  it('MG-22 reads mails within the mail, numbered as the server does', async () => {
    const single = ['Content-Type: message/rfc822', '', 'Subject: inner', 'Content-Type: text/plain', '', 'inner text'];
    const id = await store(
      ...HEADER,
      ...mixed(TEXT, single, ['Content-Type: message/delivery-status', '', 'Action: failed']),
    );
    const mail = await get(id);
    expect(mail.nested_msgs).toMatchObject([
      { id: '2', subject: 'inner', attachments: [{ id: '2.1', content: 'inner text' }] },
    ]);
    expect(mail.attachments[1]).toMatchObject({ id: '3', content_type: 'message/delivery-status', disp: 'attachment' });
    expect((await get(id, { no_nested_message: true })).nested_msgs).toEqual([{ id: '2' }]);
  });

  it('tells when mails within the mail were sent in the zone of the request', async () => {
    const sent = (day: number) => `Date: 0${day} Jan 2024 10:00:00 +0000`;
    const innermost = ['Content-Type: message/rfc822', '', sent(3), 'Subject: innermost', '', 'x'].join('\r\n');
    const inner = [sent(2), 'Subject: inner', 'Content-Type: multipart/mixed; boundary=inner', '', '--inner'];
    const id = await store(
      ...[sent(1), ...HEADER],
      ...mixed(TEXT, ['Content-Type: message/rfc822', '', ...inner, innermost, '--inner--']),
    );
    for (const [timezone, hours] of [
      ['utc', 0],
      ['Asia/Tokyo', 9],
    ] as const) {
      const local = (day: number) => Date.UTC(2024, 0, day, 10 + hours);
      const nested = [{ sent_date: local(2), nested_msgs: [{ sent_date: local(3) }] }];
      expect(await get(id, { timezone })).toMatchObject({ sent_date: local(1), nested_msgs: nested });
      const query = { folder: FOLDER, id, attachment: '2', as_json: true, timezone };
      expect((await at.cast.U1.get('mail', 'attachment', query)).data).toMatchObject(nested[0]!);
    }
    const query = { folder: FOLDER, id, attachment: '2', as_json: true, timezone: 'Nowhere/Else' };
    expect((await at.cast.U1.get('mail', 'attachment', query)).code).toBe('MSG-0031');
  });

  it('MG-23 cuts long texts where it is asked to', async () => {
    const id = await store(...HEADER, 'Content-Type: text/plain', '', 'words '.repeat(10_000));
    const [body] = (await get(id, { max_size: 20_000 })).attachments;
    expect(body).toMatchObject({ truncated: true });
    expect(body.content).toHaveLength(20_000);
  });

  it('takes uuencoded files out of a text, to be downloaded alone and in a ZIP file', async () => {
    const cat = ['begin 644 ../cat.txt', '#0V%T', '`', 'end'];
    const id = await store(
      ...HEADER,
      ...mixed(['Content-Type: text/plain', '', 'one', ...cat, 'two'], file('a.pdf', 'x')),
    );
    const [body, ...files] = (await get(id)).attachments;
    expect(body).toMatchObject({ id: '1', content: 'one<br>two' });
    expect(files).toMatchObject([
      { id: '1.1', filename: 'cat.txt', content_type: 'text/plain', size: 3, disp: 'attachment', content: null },
      { id: '2', filename: 'a.pdf' },
    ]);
    const download = (action: string, attachment?: string) =>
      at.cast.U1.fetch('GET', '/mail', {
        ...{ action, session: at.cast.U1.session, folder: FOLDER, id },
        ...(attachment === undefined ? {} : { attachment }),
      });
    const saved = await download('attachment', '1.1');
    expect(saved.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await saved.text()).toBe('Cat');
    expect(await (await download('attachment', '1.2')).text()).toContain('MSG-0024');
    for (const wanted of [undefined, '1.1,2']) {
      const zip = unzipped(Buffer.from(await (await download('zip_attachments', wanted)).arrayBuffer()));
      expect(Object.keys(zip).sort()).toEqual(['a.pdf', 'cat.txt']);
      expect(String(zip['cat.txt'])).toBe('Cat');
    }
  });

  it('shows enriched text and RTF as HTML that is safe', async () => {
    const enriched = '<bold>rich</bold> <<script><color><param>red</param>text</color>';
    const rtf = "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\b rich} <script>\\'fcber\\par}";
    for (const [type, source, shown, plain] of [
      ['text/enriched', enriched, '<b>rich</b> &lt;script&gt;<font color="red">text</font>', 'rich &lt;script&gt;text'],
      ['application/rtf', rtf, '<b>rich</b> &lt;script&gt;über', 'rich &lt;script&gt;über'],
    ] as const) {
      const id = await store(...HEADER, `Content-Type: ${type}`, '', source);
      const { attachments, attachment } = await get(id);
      expect(attachments).toMatchObject([{ id: '1', content_type: 'text/html', disp: 'inline' }]);
      expect(attachments[0].content).toContain(shown);
      expect(attachment).toBe(false);
      const [text] = (await get(id, { view: 'text' })).attachments;
      expect(text).toMatchObject({ content_type: 'text/plain', content: expect.stringContaining(plain) });
    }
  });

  it('tells what an invitation is for when only its content does', async () => {
    const calendar = ['Content-Type: text/calendar', '', 'BEGIN:VCALENDAR', 'METHOD:REQUEST', 'END:VCALENDAR'];
    const card = ['Content-Type: text/vcard', '', 'BEGIN:VCARD', 'END:VCARD'];
    const { attachments } = await get(await store(...HEADER, ...mixed(TEXT, calendar, card)));
    expect(attachments.slice(1)).toMatchObject([
      { id: '2', content_type: 'text/calendar; method=REQUEST', disp: 'attachment' },
      { id: '3', content_type: 'text/vcard', disp: 'attachment' },
    ]);
  });

  describe('of a malicious mail', () => {
    const LINK = 'https://bad.example/';
    const HTML = ['Content-Type: text/html', '', `<p>go <a href="${LINK}">there</a></p>`];
    const nested = ['Content-Type: message/rfc822', '', 'Subject: inner', ...HTML];
    const attached = ['Content-Disposition: attachment; filename=a.html', ...HTML];
    const configure = (name: string, value: string) =>
      at.cast.admin.expect(
        'PUT',
        `/admin/v1/contexts/${at.cast.contextId}/config/com.example.mail.maliciousFolders.${name}`,
        { value },
      );
    const read = async (folder: string, id: string, parameters: object = {}) =>
      (await at.cast.U1.get('mail', 'get', { folder: `default0/${folder}`, id, ...parameters })).data;

    it('MG-18 has links without addresses, however it is shown, and where it is answered or passed on', async () => {
      const { U1 } = at.cast;
      await at.imap.mailboxCreate('Junk');
      const id = await storeIn('Junk', ...HEADER, ...mixed(HTML, nested, attached));
      const mail = await read('Junk', id);
      expect([mail.malicious, mail.attachments[0].content]).toEqual([true, expect.stringContaining('<a>there</a>')]);
      for (const view of ['html', 'text', 'noimg'])
        expect(JSON.stringify(await read('Junk', id, { view }))).not.toMatch(/<a [^>]*href/);
      const plain = await storeIn('Junk', ...HEADER, 'Content-Type: text/plain', '', LINK);
      for (const view of ['html', 'text'])
        expect((await read('Junk', plain, { view })).attachments[0].content).toBe(LINK);
      const raw = await read('Junk', id, { view: 'raw' });
      expect([raw.malicious, raw.attachments[0].content]).toEqual([true, expect.stringContaining(LINK)]);
      const place = { folder: 'default0/Junk', id };
      const open = async (query: Record<string, string>) =>
        (await U1.fetch('GET', '/mail', { session: U1.session, ...place, ...query })).text();
      const queries: Record<string, string>[] = [
        { action: 'get', view: 'document' },
        { action: 'attachment', attachment: '3', filter: '1' },
        { action: 'attachment', attachment: '2', as_json: 'true' },
      ];
      for (const query of queries) {
        const text = await open(query);
        expect(text).toContain('there');
        expect(text).not.toContain(LINK);
      }
      for (const action of ['reply', 'replyall', 'forward']) {
        const [text] = (await U1.get('mail', action, place)).data.attachments;
        expect(text.content).toContain('<a>there</a>');
      }
      for (const type of ['reply', 'forward']) {
        const body = JSON.stringify([{ id, folderId: place.folder }]);
        const headers = { 'content-type': 'application/json' };
        const space = await U1.fetch('POST', '/mail/compose', { session: U1.session, type }, { body, headers });
        expect(((await space.json()) as any).data.content).toContain('<a>there</a>');
      }
    });

    it('lies where the operator says', async () => {
      await at.imap.mailboxCreate('Junk.2024');
      await at.imap.mailboxCreate('Phishing');
      const [below, named, other] = await Promise.all([
        storeIn('Junk.2024', ...HEADER, ...HTML),
        storeIn('Phishing', ...HEADER, ...HTML),
        store(...HEADER, ...HTML),
      ]);
      const states = async () => [
        (await read('Junk.2024', below)).malicious,
        (await read('Phishing', named)).malicious,
        (await read('Content', other)).malicious,
      ];
      expect(await states()).toEqual([true, undefined, undefined]);
      expect((await read('Content', other)).attachments[0].content).toContain(LINK);
      await configure('listing', 'default0/Phishing, default7/Content, $Confirmed-spam');
      await until(async () => (await read('Phishing', named)).malicious === true);
      expect(await states()).toEqual([undefined, true, undefined]);
      await configure('enabled', 'false');
      await until(async () => (await read('Phishing', named)).malicious === undefined);
      await configure('enabled', 'true');
      await configure('listing', '$Spam, Content');
      await until(async () => (await read('Content', other)).malicious === true);
      expect(await states()).toEqual([true, undefined, true]);
      await configure('listing', '$Spam, $Confirmed-spam');
      await until(async () => (await read('Content', other)).malicious === undefined);
    });
  });

  it('reads mails within a mail that are encoded, and names that lack their quotes', async () => {
    const inner = [...HEADER.slice(0, 2), 'Subject: inner', ...mixed(TEXT, file('in.pdf', 'inside'))].join('\r\n');
    const id = await store(
      ...[...HEADER, 'Content-Type: multipart/mixed; boundary=outer', '', '--outer', ...TEXT, '--outer'],
      ...['Content-Type: message/rfc822; name=b.eml', 'Content-Transfer-Encoding: base64', ''],
      ...[Buffer.from(inner).toString('base64').replace(/.{76}/g, '$&\r\n'), '--outer'],
      ...['Content-Type: application/pdf', 'Content-Disposition: attachment; filename=My Report 2026.pdf', ''],
      ...['x', '--outer--'],
    );
    const mail = await get(id);
    expect(mail.attachments).toMatchObject([{ id: '1' }, { id: '3', filename: 'My Report 2026.pdf' }]);
    expect(mail.nested_msgs).toMatchObject([
      {
        id: '2',
        subject: 'inner',
        attachments: [
          { id: '2.1', content: 'see below' },
          { id: '2.2', filename: 'in.pdf' },
        ],
      },
    ]);
    const download = (attachment: string) => {
      const query = { action: 'attachment', session: at.cast.U1.session, folder: FOLDER, id, attachment };
      return at.cast.U1.fetch('GET', '/mail', query);
    };
    expect(await (await download('2.2')).text()).toBe('inside');
    expect((await download('3')).headers.get('content-disposition')).toContain('"My Report 2026.pdf"');
  });

  it('opens what is no mail', async () => {
    const id = await store('\x89PNG\r\n\x1a\n\0\0\0 no mail');
    expect(await get(id)).toMatchObject({ id, from: [] });
    const broken = await store(...HEADER, 'Content-Type: multipart/mixed; boundary=none', '', 'no part');
    expect(await get(broken)).toMatchObject({ subject: 'Hi' });
  });

  it('knows no other view', async () => {
    const id = await store(...HEADER, ...TEXT);
    const answer = await at.cast.U1.get('mail', 'get', { folder: FOLDER, id, view: 'upside-down' });
    expect(answer.code).toBe('MSG-0031');
  });
});
