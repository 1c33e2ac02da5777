import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fs from 'node:fs';
import path from 'node:path';
import { startDovecot, type Dovecot } from '@groupware/test-kit';
import type { Envelope } from '../client';
import { card, importFile } from '../contacts/transfer';
import { WEBDAV } from '../files/storages';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { createSingleProcessWorld, type SingleProcessWorld } from '../processes';
import { makeKeyPair } from '../sso/saml-identity-provider';
import { HoldMonitor, LONGEST_HOLD_MS } from './event-loop';

/** Time for the tries of one input on a busy machine, ms. */
const TIMEOUT_MS = 120_000;
const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_none, index) => item(index)).join('');

let monitor: HoldMonitor;
let outside: Outside;
let dovecot: Dovecot;
let world: SingleProcessWorld;
let cast: Fixtures;
let user: TestUser;
let contacts: string;
let tasks: string;
let files: string;
/** What servers elsewhere answer, by path. */
const pages = new Map<string, string>();
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages.get(request.url!.replace(/\/$/, ''));
    const isDav = request.method === 'PROPFIND';
    if (isDav) response.setHeader('content-type', 'application/xml');
    response.setHeader('dav', '1').writeHead(page === undefined ? 404 : isDav ? 207 : 200);
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  outside = await startOutside([]);
  dovecot = await startDovecot({
    certificate: outside.authority.issue(['mail.test']),
    users: { ann: MAIL_PASSWORD },
    sieve: { submissionPort: 1, master: { login: 'boss', password: MAIL_PASSWORD } },
  });
  monitor = await HoldMonitor.prepare();
  const folder = fs.mkdtempSync(path.join(path.dirname(outside.variables.GROUPWARE_OUTBOUND_CA_FILE!), 'properties-'));
  const properties = path.join(folder, 'server.properties');
  const keys = makeKeyPair('idp');
  fs.writeFileSync(
    properties,
    Object.entries({
      'com.example.mail.passwordSource': 'global',
      'com.example.mail.filter.port': dovecot.sieve,
      'com.example.file.storage.webdav.enabled': 'true',
      'com.example.file.storage.webdav.allowPlain': 'true',
      'com.example.file.storage.maxAccounts': '-1',
      'com.example.calendar.ical.maxAccounts': '0',
      'com.example.saml.enabled': 'true',
      'com.example.saml.entityID': 'https://office.example/saml',
      'com.example.saml.acsURL': 'https://office.example/saml/acs',
      'com.example.saml.idpEntityID': 'https://idp.example/metadata',
      'com.example.saml.idpAuthnURL': 'https://idp.example/login',
      'com.example.saml.idpCertificate': keys.certificateText,
      'com.example.saml.decryptionKey': keys.keyText,
    })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  world = await createSingleProcessWorld({
    ...outside.variables,
    GROUPWARE_TEST: 'false',
    GROUPWARE_PROPERTIES_FILE: properties,
    GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
    GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
    GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
    FREEBUSY_SOURCE_ALLOW_PLAIN: 'true',
    FREEBUSY_SOURCE_TIMEOUT_MS: '20000',
    GATEWAY_LOGINS_PER_MINUTE: '1000000',
    MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
    MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: `imaps://mail.test:${dovecot.imaps}`,
    MAIL_FILTER_MASTER_LOGIN: 'boss',
    MAIL_FILTER_MASTER_PASSWORD: MAIL_PASSWORD,
    MAIL_FILTER_MASTER_SERVERS: 'mail.test',
    ...monitor.variables,
  });
  cast = await createFixtures(world);
  user = cast.U1;
  const place = `/admin/v1/contexts/${cast.contextId}/users/${user.userId}`;
  await cast.admin.expect('PUT', `${place}/mail-account`, {
    imap: { host: 'mail.test', port: dovecot.imaps, secure: true, login: 'ann' },
  });
  const config = async (setting: string): Promise<string> =>
    String((await user.get<unknown>(`config/${setting}`, undefined as never)).data);
  [contacts, tasks, files] = [
    await config('folder/contacts'),
    await config('folder/tasks'),
    await config('folder/infostore'),
  ];
}, 180_000);
afterAll(async () => {
  await world?.close();
  await dovecot?.stop();
  await outside?.close();
  server?.closeAllConnections();
  server?.close();
}, 60_000);

/** What an input may be answered: anything but a fault that nobody foresaw. */
const expectForeseen = (answer: Envelope): void => {
  expect(answer.code ?? '').not.toMatch(/^(SVL-0001|SES-|ECS-)/);
};
const expectShort = async (work: () => Promise<Envelope | void>): Promise<void> =>
  expect(
    await monitor.holdOf(async () => {
      const answer = await work();
      if (answer) expectForeseen(answer);
    }),
  ).toBeLessThanOrEqual(LONGEST_HOLD_MS);

const oneCard = (...lines: string[]): string => card('3.0', 'FN:a', 'N:a;b', ...lines);
const cards: [string, () => string][] = [
  ['many cards', () => many(5_000, (index) => oneCard(`UID:${index}`, `EMAIL:a${index}@x.example`))],
  ['a card of many lines', () => oneCard(many(60_000, (index) => `X-A${index}:b\r\n`))],
  ['a card of many addresses', () => oneCard(many(30_000, (index) => `EMAIL;TYPE=work,home:a${index}@x.example\r\n`))],
  ['parameters', () => oneCard(`TEL${';TYPE=a'.repeat(140_000)}:1`, `TEL;TYPE="${'a,'.repeat(400_000)}":1`)],
  ['a folded line', () => oneCard(`NOTE:${'x\r\n '.repeat(300_000)}`)],
  ['escapes', () => oneCard(`NOTE:${'\\n'.repeat(600_000)}`, `CATEGORIES:${','.repeat(900_000)}`)],
  ['values of a name', () => oneCard(`N:${';'.repeat(900_000)}`, `ORG:${';'.repeat(900_000)}`)],
  ['a picture', () => oneCard(`PHOTO;ENCODING=b;TYPE=PNG:${'iVBORw0KGgo='.repeat(120_000)}`)],
  ['a picture that is encoded badly', () => oneCard(`PHOTO;ENCODING=b:${'=A '.repeat(600_000)}`)],
  ['quoted printable', () => card('2.1', `NOTE;ENCODING=QUOTED-PRINTABLE:${'=41=\r\n'.repeat(300_000)}`, 'FN:a')],
  ['cards in cards', () => 'BEGIN:VCARD\r\n'.repeat(60_000)],
  ['a card of an agent', () => oneCard(`AGENT:\r\nBEGIN:VCARD\r\n${'NOTE:a\\n,;b\r\n'.repeat(45_000)}END:VCARD`)],
  ['agents of agents', () => oneCard(`${'AGENT:\r\nBEGIN:VCARD\r\n'.repeat(20_000)}${'END:VCARD\r\n'.repeat(20_000)}`)],
  ['many agents', () => oneCard('AGENT:\r\nBEGIN:VCARD\r\nA:b\r\nEND:VCARD\r\n'.repeat(5_900))],
  ['labels of addresses', () => oneCard(many(5_900, (index) => `LABEL;TYPE=home:${index}\r\n`))],
  [
    'addresses and their labels',
    () => oneCard('ADR;TYPE=home:;;a\r\n'.repeat(2_900), 'LABEL;TYPE=home:a\r\n'.repeat(2_900)),
  ],
  ['numbers', () => oneCard(many(5_900, (index) => `TEL;TYPE=work,home;X-A=${index}:1\r\n`))],
  ['names of vendors', () => oneCard(many(5_900, (index) => `X-A${index}-INFO:a\r\n`))],
  [
    '5,000 members',
    () =>
      oneCard(
        'KIND:group',
        many(5_000, (index) => `MEMBER;CN=a:mailto:a${index}@x.example\r\n`),
      ),
  ],
  ['parameters within their limits', () => oneCard(`TEL${';X-A=a'.repeat(10_000)}:1\r\n`.repeat(9))],
  ['types', () => oneCard(`TEL;TYPE="${'a,'.repeat(30_000)}":1\r\n`.repeat(9))],
  ['encodings', () => oneCard(`NOTE${';quoted-printable'.repeat(38_000)}`)],
  ['a text of controls', () => oneCard(`NOTE:${'\u0001a'.repeat(320_000)}`)],
  ['a long line of letters that are no ASCII', () => oneCard(`NOTE:${'ä'.repeat(310_000)}`)],
  ['a picture as large as it may be', () => oneCard(`PHOTO;ENCODING=b:${'iVBORw0KGgoA'.repeat(340_000)}`)],
  [
    'a picture as large as it may be that is encoded badly',
    () => oneCard(`PHOTO;ENCODING=b:${'=A '.repeat(1_300_000)}`),
  ],
  ['a picture of controls', () => oneCard(`PHOTO;ENCODING=b:${'\u0001A'.repeat(2_000_000)}`)],
  ['a picture that is quoted-printable', () => oneCard(`PHOTO;ENCODING=QUOTED-PRINTABLE:${'=41'.repeat(1_300_000)}`)],
  ['a picture as an address', () => oneCard(`PHOTO:data:image/png;base64,${'A'.repeat(4_000_000)}`)],
  ['a picture in percent notation', () => oneCard(`PHOTO:data:image/png,${'%41'.repeat(1_300_000)}`)],
  ['groups', () => oneCard(many(30_000, (index) => `item${index}.URL:http://x/\r\nitem${index}.X-ABLabel:a\r\n`))],
  [
    'members',
    () =>
      oneCard(
        'KIND:group',
        many(30_000, (index) => `MEMBER:mailto:a${index}@x.example\r\n`),
      ),
  ],
  ['no card', () => 'garbage\n'.repeat(300_000)],
];

const tables: [string, () => string][] = [
  ['many rows', () => `Given name,Sur name,Email 1\n${many(5_000, (index) => `a,b,a${index}@x.example\n`)}`],
  ['columns', () => `Given name,${many(60_000, (index) => `x${index},`)}\na${','.repeat(60_000)}\n`],
  ['quotes', () => `Given name\n"${'""'.repeat(1_000_000)}"\n`],
  ['a quote that does not end', () => `Given name\n"${'a,\n'.repeat(700_000)}`],
  ['empty lines', () => `Given name\n${'\n'.repeat(2_000_000)}`],
];

const component = (name: string, ...lines: string[]): string => `BEGIN:${name}\r\n${lines.join('\r\n')}\r\nEND:${name}`;
const calendar = (...parts: string[]): string => `${component('VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...parts)}\r\n`;
const todo = (uid: string, ...lines: string[]): string => component('VTODO', `UID:${uid}`, 'SUMMARY:a', ...lines);
const todos: [string, () => string][] = [
  ['many tasks', () => calendar(many(5_000, (index) => `${todo(`t${index}`)}\r\n`))],
  [
    'series',
    () =>
      calendar(
        many(
          300,
          (index) =>
            `${todo(`s${index}`, 'DTSTART:20350101T000000Z', 'DUE:20350101T010000Z', 'RRULE:FREQ=SECONDLY')}\r\n`,
        ),
      ),
  ],
  [
    'attendees',
    () =>
      calendar(
        todo(
          'a',
          many(20_000, (index) => `ATTENDEE:mailto:a${index}@x.example\r\n`),
        ),
      ),
  ],
  [
    'alarms',
    () =>
      calendar(
        todo(
          'b',
          many(8_000, () => `${component('VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT5M')}\r\n`),
        ),
      ),
  ],
  [
    'attendees with parameters',
    () =>
      calendar(
        todo(
          'p',
          many(19_900, (index) => `ATTENDEE;CN=a;ROLE=b;X=c:a${index}\r\n`),
        ),
      ),
  ],
  [
    'dates',
    () =>
      calendar(
        todo(
          'x',
          'DTSTART:20350101T000000Z',
          'RRULE:FREQ=DAILY',
          many(19_900, () => 'EXDATE:20350102T000000Z\r\n'),
        ),
      ),
  ],
  [
    'lines within their limit',
    () =>
      calendar(
        todo(
          'k',
          many(19_900, (index) => `X-A${index}:b\r\n`),
        ),
      ),
  ],
  [
    'lines',
    () =>
      calendar(
        todo(
          'c',
          many(60_000, (index) => `X-A${index}:b\r\n`),
        ),
      ),
  ],
];

const event = (uid: string, ...lines: string[]): string =>
  `${component('VEVENT', `UID:${uid}`, 'DTSTAMP:20300101T000000Z', 'DTSTART:20350101T000000Z', 'DURATION:PT1H', ...lines)}\r\n`;
const feeds: [string, () => string][] = [
  ['many events', () => calendar(many(5_000, (index) => event(`e${index}`)))],
  ['dense series', () => calendar(many(300, (index) => event(`d${index}`, 'RRULE:FREQ=SECONDLY')))],
  [
    'changes of a series',
    () =>
      calendar(
        event('s', 'RRULE:FREQ=DAILY'),
        many(3_000, (index) => event('s', `RECURRENCE-ID:20350${1 + (index % 9)}01T000000Z`)),
      ),
  ],
  [
    'dates',
    () => calendar(event('x', 'RRULE:FREQ=DAILY', `EXDATE:${many(50_000, () => '20350102T000000Z,')}20350103T000000Z`)),
  ],
  ['a long line', () => calendar(event('l', `DESCRIPTION:${'x'.repeat(2_000_000)}`))],
  ['a folded line', () => calendar(event('f', `DESCRIPTION:${'x\r\n '.repeat(200_000)}`))],
  ['no end', () => `BEGIN:VCALENDAR\r\n${'BEGIN:VEVENT\r\n'.repeat(60_000)}`],
];

/** Calendars elsewhere whose times are asked for. */
const busyFeeds: [string, () => string][] = [
  ...feeds,
  [
    'changes of many series with one uid',
    () =>
      calendar(
        many(2_400, (index) => event('s', `RECURRENCE-ID:20350${1 + (index % 9)}01T000000Z`)),
        many(2_500, () => event('s', 'RRULE:FREQ=DAILY')),
      ),
  ],
  [
    'series that take long',
    () => calendar(many(5_000, (index) => event(`l${index}`, 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'))),
  ],
  [
    'free and busy times',
    () =>
      component(
        'VCALENDAR',
        component(
          'VFREEBUSY',
          many(20_000, () => 'FREEBUSY:20350101T000000Z/PT1H\r\n'),
        ),
      ),
  ],
];

const item = (text: string): string => `<item><title>${text}</title><description>${text}</description></item>`;
const channel = (items: string): string => `<rss version="2.0"><channel><title>a</title>${items}</channel></rss>`;
const news: [string, () => string][] = [
  ['many items', () => channel(many(15_000, (index) => item(String(index))))],
  ['deep elements', () => channel('<a>'.repeat(100_000))],
  ['attributes', () => channel(`<item ${many(50_000, (index) => `a${index}="b" `)}/>`)],
  ['entities', () => channel(item('&amp;'.repeat(200_000)))],
  ['HTML', () => channel(item('&lt;b&gt;&lt;i&gt;'.repeat(50_000)))],
  ['HTML that does not end', () => channel(item('&lt;a href='.repeat(80_000)))],
  [
    'an entity of its own',
    () => `<!DOCTYPE r [<!ENTITY a "${'a'.repeat(1_000)}">]>${channel(item('&a;'.repeat(10_000)))}`,
  ],
  ['comments', () => channel('<!-- a -->'.repeat(90_000))],
];

const multistatus = (responses: string): string => `<d:multistatus xmlns:d="DAV:">${responses}</d:multistatus>`;
const found = (href: string, more = ''): string =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype>${more}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
const listings: [string, (root: string) => string][] = [
  ['many files', (root) => multistatus(found(root) + many(20_000, (index) => found(`${root}/${index}`)))],
  ['deep elements', (root) => multistatus(found(root, '<d:a>'.repeat(100_000)))],
  ['attributes', (root) => multistatus(found(root, `<d:a ${many(50_000, (index) => `a${index}="b" `)}/>`))],
  ['names', (root) => multistatus(found(root) + found(`${root}/${'%C3%A4'.repeat(100_000)}`))],
  ['entities', (root) => `<!DOCTYPE r [<!ENTITY a "aa">]>${multistatus(found(root, '&a;'.repeat(100_000)))}`],
  [
    'namespaces',
    (root) =>
      multistatus(
        found(
          root,
          many(20_000, (index) => `<n${index}:a xmlns:n${index}="u${index}"/>`),
        ),
      ),
  ],
  ['no XML', () => '<'.repeat(1_000_000)],
];

const samlNamespaces =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
const samlResponse = (content: string): string =>
  `<samlp:Response ${samlNamespaces} ID="_a" Version="2.0" Destination="https://office.example/saml/acs"><saml:Issuer>https://idp.example/metadata</saml:Issuer>${content}</samlp:Response>`;
const reference = (index: number): string =>
  `<ds:Reference URI="#_a${index}"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>a</ds:DigestValue></ds:Reference>`;
const signature = (references: string): string =>
  `<ds:Signature><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>${references}</ds:SignedInfo><ds:SignatureValue>a</ds:SignatureValue></ds:Signature>`;
const assertions: [string, () => string][] = [
  ['deep elements', () => '<a>'.repeat(9_000) + '</a>'.repeat(9_000)],
  ['deep elements in a response', () => samlResponse(`${'<a>'.repeat(3_000)}${'</a>'.repeat(3_000)}`)],
  ['attributes', () => samlResponse(`<a ${many(6_000, (index) => `a${index}="b" `)}/>`)],
  [
    'namespaces',
    () =>
      samlResponse(
        many(50, (index) => `<a ${many(50, (each) => `xmlns:n${index}x${each}="u" `)}>`) + '</a>'.repeat(50),
      ),
  ],
  ['comments', () => samlResponse('<!-- a -->'.repeat(8_000))],
  ['signatures', () => samlResponse(many(100, (index) => signature(reference(index))))],
  ['references of a signature', () => samlResponse(signature(many(250, reference)))],
  ['assertions', () => samlResponse(many(1_200, (index) => `<saml:Assertion ID="_a${index}" Version="2.0"/>`))],
  [
    'assertions that are signed',
    () =>
      samlResponse(
        many(300, (index) => `<saml:Assertion ID="_a${index}">${signature(reference(index))}</saml:Assertion>`),
      ),
  ],
  ['encrypted assertions', () => samlResponse('<saml:EncryptedAssertion/>'.repeat(3_000))],
  ['entities', () => `<!DOCTYPE r [<!ENTITY a "aa">]>${samlResponse('&a;'.repeat(60_000))}`],
];

/** A search term or test of a rule that has others in it, in a chain of that depth. */
const nested = (depth: number, wrap: (inner: string) => [string, string], leaf: string): string => {
  const [before, after] = wrap('');
  return before.repeat(depth) + leaf + after.repeat(depth);
};
const raw =
  (module: string, action: string, body: () => string, query: Record<string, string> = {}) =>
  async () => {
    const answer = await user.fetch('PUT', `/${module}`, { action, session: user.session, ...query }, { body: body() });
    return (await answer.json()) as Envelope;
  };
const terms = (leaf: string): [string, () => string][] => [
  ['deep terms', () => `{"filter":${nested(20_000, () => ['["not",', ']'], leaf)}}`],
  ['many terms', () => `{"filter":["or"${`,${leaf}`.repeat(15_000)}]}`],
  ['a long pattern', () => `{"filter":${leaf.replace('VALUE', '*a'.repeat(100_000))}}`],
];
const inMail = { folder: 'default0/INBOX', columns: '600' };
const rule = (test: string, commands = '[{"id":"keep"}]', more = '') =>
  `{"test":${test},"actioncmds":${commands}${more}}`;
const subject = (values: string) =>
  `{"id":"header","comparison":"contains","headers":["Subject"],"values":[${values}]}`;
const requests: [string, () => Promise<Envelope>][] = [
  ...terms('["=",{"field":"display_name"},"VALUE"]').map(([name, body]): [string, () => Promise<Envelope>] => [
    `a search of contacts: ${name}`,
    raw('contacts', 'advancedSearch', body, { columns: '1' }),
  ]),
  ...terms('["=",{"field":"subject"},"VALUE"]').map(([name, body]): [string, () => Promise<Envelope>] => [
    `a search of mails: ${name}`,
    raw('mail', 'search', body, inMail),
  ]),
  [
    'a search of contacts by a pattern',
    raw('contacts', 'search', () => `{"pattern":"${'*a?'.repeat(100_000)}"}`, { columns: '1' }),
  ],
  [
    'a search of tasks by a pattern',
    raw('tasks', 'search', () => `{"pattern":"${'*a?'.repeat(100_000)}"}`, { columns: '1' }),
  ],
  [
    'a search of files by a pattern',
    raw('files', 'search', () => `{"pattern":"${'*a?'.repeat(100_000)}"}`, { columns: '1' }),
  ],
  [
    'a rule of deep tests',
    raw('mailfilter/v2', 'new', () => rule(nested(20_000, () => ['{"id":"not","test":', '}'], '{"id":"true"}'))),
  ],
  [
    'a rule of many tests',
    raw('mailfilter/v2', 'new', () =>
      rule(`{"id":"anyof","tests":[${many(5_000, () => `${subject('"a"')},`)}{"id":"true"}]}`),
    ),
  ],
  ['a rule of many values', raw('mailfilter/v2', 'new', () => rule(subject(`${'"a",'.repeat(150_000)}"b"`)))],
  [
    'a rule of many actions',
    raw('mailfilter/v2', 'new', () => rule('{"id":"true"}', `[${'{"id":"keep"},'.repeat(30_000)}{"id":"stop"}]`)),
  ],
  [
    'a rule with a long pattern',
    raw('mailfilter/v2', 'new', () => rule(subject(`"${'\\\\'.repeat(200_000)}"`).replace('contains', 'regex'))),
  ],
  [
    'a rule with a long name',
    raw('mailfilter/v2', 'new', () =>
      rule('{"id":"true"}', '[{"id":"keep"}]', `,"rulename":"${'#\\n'.repeat(200_000)}"`),
    ),
  ],
  [
    'a file with a long name',
    () => user.put('infostore', 'new', {}, { file: { folder_id: files, filename: `${'a.'.repeat(300_000)}txt` } }),
  ],
  [
    'a file with names in names',
    () => user.put('infostore', 'new', {}, { file: { folder_id: files, filename: ' ('.repeat(300_000) } }),
  ],
  [
    'a file with much data of its camera',
    () =>
      user.put('infostore', 'new', {}, { file: { folder_id: files, title: 't', meta: { a: 'b'.repeat(900_000) } } }),
  ],
  [
    'facets',
    raw(
      'find',
      'query',
      () =>
        `{"facets":[${many(5_000, () => '{"facet":"global","value":"a","filter":null},')}{"facet":"global","value":"b"}]}`,
      { module: 'contacts' },
    ),
  ],
];

let serial = 0;
/** Puts a page on the server elsewhere; its path. */
const publish = (page: (place: string) => string): string => {
  const place = `/${(serial += 1)}`;
  pages.set(place, page(place));
  return place;
};

describe('the event loop is not held', () => {
  it.each(cards)(
    'by contacts in a vCard file: %s',
    (_name, text) => expectShort(() => importFile(user, 'VCARD', contacts, text())),
    TIMEOUT_MS,
  );

  it.each(tables)(
    'by contacts in a table: %s',
    (_name, text) => expectShort(() => importFile(user, 'CSV', contacts, text())),
    TIMEOUT_MS,
  );

  it.each(todos)(
    'by tasks in a calendar file: %s',
    (_name, text) => expectShort(() => importFile(user, 'ICAL', tasks, text())),
    TIMEOUT_MS,
  );

  it.each(feeds)(
    'by a calendar of the web: %s',
    async (_name, text) => {
      const uri = url + publish(text);
      await expectShort(() =>
        user.put(
          'folders',
          'new',
          { tree: '0', folder_id: '1' },
          {
            folder: {
              module: 'event',
              'com.openexchange.calendar.provider': 'ical',
              'com.openexchange.calendar.config': { uri },
            },
          },
        ),
      );
    },
    TIMEOUT_MS,
  );

  it.each(busyFeeds)(
    'by the times of a calendar elsewhere: %s',
    async (_name, text) => {
      const key = 'com.example.calendar.freeBusyFeeds';
      const place = `/admin/v1/contexts/${cast.contextId}/users/${cast.U2.userId}/config/${key}`;
      const page = text();
      const times = { from: Date.UTC(2035, 1, 1), until: Date.UTC(2035, 2, 1) };
      await expectShort(async () => {
        // Files that were read lately are not read again.
        await cast.admin.expect('PUT', place, { value: url + publish(() => page) });
        return user.put('freebusy', 'list', times, [cast.U2.email]);
      });
    },
    TIMEOUT_MS,
  );

  it.each(news)(
    'by a news feed: %s',
    async (_name, text) => {
      const page = text();
      // Files that were read lately are not read again.
      await expectShort(() => user.put('rss', '', {}, { feedUrl: [url + publish(() => page)] }));
    },
    TIMEOUT_MS,
  );

  it.each(listings)(
    'by a list of a WebDAV server: %s',
    async (_name, listing) => {
      await expectShort(() => {
        const configuration = { url: `${url}${publish(listing)}/`, login: 'a', password: 'b' };
        return user.put(
          'fileaccount',
          'new',
          {},
          { filestorageService: WEBDAV, displayName: `d${serial}`, configuration },
        );
      });
    },
    TIMEOUT_MS,
  );

  it.each(assertions)(
    'by a SAML response: %s',
    async (_name, text) => {
      const SAMLResponse = Buffer.from(text()).toString('base64');
      await expectShort(async () => {
        const init = await fetch(`${world.publicUrl}/saml/init?flow=login&redirect=true`, { redirect: 'manual' });
        const RelayState = new URL(init.headers.get('location')!).searchParams.get('RelayState')!;
        const body = new URLSearchParams({ SAMLResponse, RelayState });
        const answer = await fetch(`${world.publicUrl}/saml/acs`, { method: 'POST', redirect: 'manual', body });
        expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
      });
    },
    TIMEOUT_MS,
  );

  it.each(requests)('by %s', (_name, work) => expectShort(work), TIMEOUT_MS);
});
