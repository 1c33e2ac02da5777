import { ImapSession } from '@groupware/mail-access';
import { ContentWorkers, DEFAULT_CONTENT_LIMITS } from '@groupware/mail-content';
import { person, startDovecot, testAuthority, type Dovecot } from '@groupware/test-kit';
import { ImapFlow } from 'imapflow';
import type { OpenFolder } from '../accounts/mailboxes';
import { MailPreviews } from './mail-previews';

let dovecot: Dovecot;
let session: ImapSession;
let open: OpenFolder;
const workers = new ContentWorkers(DEFAULT_CONTENT_LIMITS);
const user = person(3);

/** Mails with the previews that they have. */
const MAILS: readonly (readonly [lines: readonly string[], preview: string])[] = [
  [['Content-Type: text/plain', '', 'Hello\r\n\r\n   out\tthere'], 'Hello out there'],
  [['', '> You wrote\r\n\r\nmy answer\r\n> more'], 'my answer'],
  [['', '> nothing', '> but quotes'], '> nothing > but quotes'],
  [
    [
      ...['Content-Type: text/plain; charset=iso-2022-jp', 'Content-Transfer-Encoding: 7bit', ''],
      '\x1b$B$3$s$K$A$O\x1b(B',
    ],
    'こんにちは',
  ],
  [
    ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', '', base64('ä'.repeat(5_000))],
    'ä'.repeat(200),
  ],
  [
    [
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      base64(`x${'😀'.repeat(150)}`),
    ],
    `x${'😀'.repeat(99)}`,
  ],
  [
    [
      ...['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable', ''],
      `<style>p { color: red }${' '.repeat(3_000)}</style><p>Gr=C3=BC=C3=9Fe <a href=3D"http://x.example/">from</a> <b>far</b></p>`,
    ],
    'Grüße from far',
  ],
  [
    [
      ...[
        'Content-Type: multipart/mixed; boundary=a',
        '',
        '--a',
        'Content-Type: multipart/alternative; boundary=b',
        '',
      ],
      ...['--b', 'Content-Type: text/plain', '', 'plain', '--b', 'Content-Type: text/html', '', '<p>html</p>', '--b--'],
      ...['--a', 'Content-Type: application/pdf', '', 'x', '--a--'],
    ],
    'plain',
  ],
  [['Content-Type: application/pdf', '', 'x'], ''],
];

function base64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n');
}

beforeAll(async () => {
  dovecot = await startDovecot({ certificate: testAuthority().issue(['127.0.0.1']) });
  const client = new ImapFlow({
    ...{ host: '127.0.0.1', port: dovecot.imap, secure: false, doSTARTTLS: false, logger: false },
    auth: { user: 'ann', pass: 'secret' },
  });
  await client.connect();
  session = new ImapSession(client, new Set(['PREVIEW']));
  for (const [lines] of MAILS)
    await session.append('INBOX', Buffer.from(['MIME-Version: 1.0', ...lines, ''].join('\r\n'), 'latin1'));
  await session.select('INBOX');
  open = { session, account: { id: 0, login: 'ann' }, folder: { account: 0, path: 'INBOX' } } as unknown as OpenFolder;
}, 60_000);
afterAll(async () => {
  await session?.client.logout();
  await workers.close();
  await dovecot?.stop();
});

describe('previews of a server that has none', () => {
  it('are made of the begins of texts, of all mails of a page at once, and are remembered', async () => {
    const previews = new MailPreviews(workers);
    const uids = MAILS.map((_mail, index) => index + 1);
    const messages = await session.fetch(uids, { uid: true, bodyStructure: true });
    const fetch = jest.spyOn(session, 'fetch');
    expect((await previews.readPreviews(user, open, messages, false)).size).toBe(0);
    expect(fetch).not.toHaveBeenCalled();
    const made = await previews.readPreviews(user, open, messages, true);
    expect(uids.map((uid) => made.get(uid))).toEqual(MAILS.map(([, preview]) => preview));
    // A text is the first part, or the first one of the first part.
    expect(fetch).toHaveBeenCalledTimes(2);
    for (const [, { bodyParts }] of fetch.mock.calls) expect(bodyParts).toMatchObject([{ start: 0 }]);
    for (const makesMissing of [true, false])
      expect(new Map(await previews.readPreviews(user, open, messages, makesMissing))).toEqual(made);
    expect(fetch).toHaveBeenCalledTimes(2);
    fetch.mockRestore();
    const structureless = messages.map(({ uid, seq }) => ({ uid, seq }));
    const anew = await new MailPreviews(workers).readPreviews(user, open, structureless, true);
    expect([...anew].sort()).toEqual([...made].sort());
  });
});
