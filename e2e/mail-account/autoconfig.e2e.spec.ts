import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { createServer as createNetServer, type AddressInfo, type Server as NetServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { MAIL_PASSWORD, startOutside, type Outside } from './outside';

const folder = mkdtempSync(path.join(os.tmpdir(), 'autoconfig-'));
const asked: string[] = [];
let outside: Outside;
let web: Server;
let world: TestEnvironment;
let cast: Fixtures;
let smtp: number;
let port: number;
/** A server at an address that is not granted. */
let inside: NetServer;
let inward: number;
let connectionsInward = 0;

const search = async (form: Record<string, string>, user = cast.U1): Promise<any> => {
  const response = await user.fetch(
    'POST',
    '/autoconfig',
    { action: 'get', session: user.session },
    { body: new URLSearchParams(form) },
  );
  return response.json();
};
const found = (changes: object = {}) => ({
  login: 'ann',
  mail_server: 'mail.test',
  mail_port: outside.dovecot.imaps,
  mail_protocol: 'imap',
  mail_secure: true,
  mail_starttls: false,
  mail_url: `imaps://mail.test:${outside.dovecot.imaps}`,
  transport_server: 'mail.test',
  transport_port: smtp,
  transport_protocol: 'smtp',
  transport_secure: false,
  transport_starttls: true,
  transport_url: `smtp://mail.test:${smtp}`,
  ...changes,
});

/** Configuration that domains publish. */
const published = () => `<clientConfig version="1.1"><emailProvider id="conf.test">
  <incomingServer type="pop3"><hostname>mail.test</hostname><port>${outside.dovecot.pop3s}</port>
    <socketType>SSL</socketType><username>%EMAILLOCALPART%</username></incomingServer>
  <incomingServer type="imap"><hostname>mail.test</hostname><port>${outside.dovecot.imaps}</port>
    <socketType>SSL</socketType><username>%EMAILLOCALPART%</username></incomingServer>
  <outgoingServer type="smtp"><hostname>mail.test</hostname><port>${smtp}</port>
    <socketType>STARTTLS</socketType><username>%EMAILLOCALPART%</username></outgoingServer>
</emailProvider></clientConfig>`;

beforeAll(async () => {
  outside = await startOutside();
  smtp = await outside.smtp();
  const plain = await outside.peer((socket) => {
    socket.write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
    socket.on('data', (data) => {
      const [tag, ...rest] = String(data).split(' ');
      const wrong = rest.join(' ').includes('LOGIN') && !rest.join(' ').includes(MAIL_PASSWORD);
      socket.write(`${tag} ${wrong ? 'NO [AUTHENTICATIONFAILED]' : 'OK'}\r\n`);
    });
  });
  const certificate = outside.authority.issue([
    'autoconfig.conf.test',
    'known.test',
    'autoconfig.evil.test',
    'autoconfig.sent.test',
  ]);
  web = createServer(certificate, (request, response) => {
    asked.push(`${request.headers.host!.split(':')[0]}${request.url}`);
    const host = request.headers.host!.split(':')[0];
    if (host === 'autoconfig.evil.test') response.writeHead(302, { location: `https://127.0.0.2:${inward}/` }).end();
    else if (host === 'autoconfig.sent.test')
      response.writeHead(302, { location: `https://known.test:${port}/.well-known/elsewhere` }).end();
    else if (host === 'known.test' ? request.url!.startsWith('/.well-known/') : host === 'autoconfig.conf.test')
      response.end(published());
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  inside = createNetServer((socket) => {
    connectionsInward += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve));
  inward = (inside.address() as AddressInfo).port;
  port = (web.address() as AddressInfo).port;

  const here = { a: ['127.0.0.1'] };
  const service = (target: string, at: number) => ({ srv: [{ target, port: at }] });
  outside.names.zone = {
    'mail.test': here,
    'autoconfig.conf.test': here,
    'autoconfig.evil.test': here,
    'autoconfig.sent.test': here,
    'known.test': here,
    '_imaps._tcp.srv.test': service('mail.test', outside.dovecot.imaps),
    '_pop3._tcp.srv.test': service('.', 0),
    '_submission._tcp.srv.test': service('mail.test', smtp),
    'moved.test': { mx: [{ exchange: 'mx1.conf.test', preference: 10 }] },
    'imap.guess.test': here,
    'smtp.guess.test': here,
    'mail.plain.test': here,
  };
  const file = path.join(folder, 'providers.json');
  const servers = {
    mail: [`imaps://mail.test:${outside.dovecot.imaps}`],
    transport: [`smtp+starttls://mail.test:${smtp}`],
  };
  writeFileSync(file, JSON.stringify([{ domains: ['listed.test'], login: '%EMAILLOCALPART%', ...servers }]));
  world = await startTestEnvironment({
    variables: {
      ...outside.variables,
      MAIL_AUTOCONFIG_FILE: file,
      MAIL_AUTOCONFIG_URLS: [
        `https://autoconfig.{domain}:${port}/mail/config-v1.1.xml?emailaddress={address}`,
        `https://{domain}:${port}/.well-known/autoconfig/mail/config-v1.1.xml`,
      ].join(),
      MAIL_AUTOCONFIG_GUESSES: `imaps:${outside.dovecot.imaps},smtp+starttls:${smtp},imap:${plain}`,
      MAIL_AUTOCONFIG_PER_MINUTE: '30',
    },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await new Promise((resolve) => web?.close(resolve) ?? resolve(undefined));
  await new Promise((resolve) => inside?.close(resolve) ?? resolve(undefined));
  await outside?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('autoconfig', () => {
  it('AU-01: a domain that publishes its servers', async () => {
    const answer = await search({ email: 'ann@conf.test', password: MAIL_PASSWORD });
    expect(answer).toEqual({ data: found({ config_source: 'web' }) });
    expect(asked).toContain('autoconfig.conf.test/mail/config-v1.1.xml?emailaddress=ann%40conf.test');
    const before = asked.length;
    expect(await search({ email: 'ann@conf.test', password: MAIL_PASSWORD })).toEqual(answer);
    expect(asked).toHaveLength(before); // kept
  });

  it.each([
    ['the well-known path', 'ann@known.test', 'web'],
    ['SRV records', 'ann@srv.test', 'dns'],
    ['the provider its mail goes to', 'ann@moved.test', 'mx web'],
    ["the operator's own list", 'ann@LISTED.test', 'own file'],
  ])('a domain known by %s', async (_name, email, config_source) => {
    expect((await search({ email, password: MAIL_PASSWORD })).data).toEqual(found({ config_source }));
  });

  it('a domain whose servers have the usual names', async () => {
    expect((await search({ email: 'ann@guess.test', password: MAIL_PASSWORD })).data).toEqual(
      found({
        config_source: 'guess',
        mail_server: 'imap.guess.test',
        mail_url: `imaps://imap.guess.test:${outside.dovecot.imaps}`,
        transport_server: 'smtp.guess.test',
        transport_url: `smtp://smtp.guess.test:${smtp}`,
      }),
    );
    expect((await search({ email: 'ann@guess.test', password: 'wrong' })).data).toEqual({});
  });

  it('AU-02: a server without encryption is offered only when that is wanted', async () => {
    const form = { email: 'ann@plain.test', password: MAIL_PASSWORD };
    expect((await search(form)).data).toEqual({});
    expect((await search({ ...form, force_secure: 'true' })).data).toEqual({});
    expect((await search({ ...form, force_secure: 'false' })).data).toMatchObject({
      mail_server: 'mail.plain.test',
      mail_secure: false,
      mail_starttls: false,
      config_source: 'guess',
    });
  });

  it('AU-03: an address is needed, and a password or an OAuth account', async () => {
    expect(await search({ password: MAIL_PASSWORD })).toMatchObject({ code: 'SVL-0002', error_params: ['email'] });
    expect(await search({ email: 'ann@conf.test' })).toMatchObject({ code: 'SVL-0002', error_params: ['password'] });
  });

  it('AU-04: an OAuth account instead of a password', async () => {
    expect((await search({ email: 'ann@conf.test', oauth: '7' })).data).toMatchObject({
      mail_server: 'mail.test',
      mail_oauth: 7,
      transport_oauth: 7,
    });
  });

  it('servers of a source stand although the password is wrong', async () => {
    expect((await search({ email: 'ann@conf.test', password: 'wrong' })).data).toMatchObject({
      mail_server: 'mail.test',
    });
  });

  it.each(['ann', 'ann@', '@conf.test', 'ann@127.0.0.1', 'ann@[::1]', 'a b@conf.test', 'ann@localhost', 'ann@0x7f.1'])(
    '%s is no address',
    async (email) => expect((await search({ email, password: MAIL_PASSWORD })).code).toBe('MAIL-AUTOCONFIG-0002'),
  );

  it('nothing found is no error', async () => {
    expect(await search({ email: 'ann@nowhere.test', password: MAIL_PASSWORD })).toEqual({ data: {} });
  });

  it('redirects lead to hosts outside alone', async () => {
    expect((await search({ email: 'ann@sent.test', password: MAIL_PASSWORD })).data).toEqual(
      found({ config_source: 'web' }),
    );
    expect(await search({ email: 'ann@evil.test', password: MAIL_PASSWORD })).toEqual({ data: {} });
    expect(asked.some((address) => address.startsWith('autoconfig.evil.test/'))).toBe(true);
    expect(connectionsInward).toBe(0);
  });

  it('searches of one user are limited', async () => {
    const answers = await Promise.all(
      Array.from({ length: 31 }, () => search({ email: 'ann@listed.test', oauth: '1' }, cast.U2)),
    );
    expect(answers.map(({ code }) => code)).toContain('SVL-0019');
  });
});
