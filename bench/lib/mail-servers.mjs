import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDovecot, startNameServer, testAuthority } from '@groupware/test-kit';
import { SMTPServer } from 'smtp-server';
import { findDovecot } from '../../tools/services/dovecot.mjs';
import { administer, createUsers, enter, onCleanup, startSystem } from './system.mjs';

/** The name that the product knows the mail servers by, and the password of every mailbox. */
export const MAIL_HOST = 'mail.test';
export const MAIL_PASSWORD = 'a secret of the mail server';

const listening = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

/** Passes bytes on to a port of this machine; counts those that come back, and the connections that were open at once. */
async function countingLink(port) {
  const link = { port: 0, received: 0, most: 0 };
  const sockets = new Set();
  let open = 0;
  const server = net.createServer((near) => {
    link.most = Math.max(link.most, ++open);
    near.on('close', () => open--);
    const far = net.connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    far.on('data', (chunk) => (link.received += chunk.length));
    near.pipe(far).pipe(near);
  });
  link.port = await listening(server);
  onCleanup(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return link;
}

/** A server that takes mails and keeps their sizes only. */
async function startSink(certificate) {
  const sink = { port: 0, sizes: [] };
  const server = new SMTPServer({
    ...certificate,
    logger: false,
    authMethods: ['PLAIN'],
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onData: (stream, _session, done) => {
      let size = 0;
      stream.on('data', (chunk) => (size += chunk.length));
      stream.on('end', () => {
        sink.sizes.push(size);
        done(null, 'taken');
      });
    },
  });
  server.on('error', () => undefined);
  onCleanup(() => new Promise((resolve) => server.close(() => resolve())));
  sink.port = await listening(server.server);
  return sink;
}

/**
 * The product with a Dovecot of its own, a server that takes mails, and users with mailboxes there.
 * @param {Awaited<ReturnType<typeof import('./system.mjs').servers>>} environment
 * @param {{ users: Readonly<Record<string, string>>, counted?: readonly string[], more?: string[], settings?: object, properties?: object,
 *   nodeOptions?: string[] }}
 *   options users: login of the mailbox by name of the user; counted: the users whose bytes from Dovecot are counted
 */
export async function startMailSystem(
  environment,
  { users, counted = [], more = [], settings = {}, properties = {}, nodeOptions = [] },
) {
  const programsDir = process.env.PROGRAMS_DIR ?? fileURLToPath(new URL('../../.data/tools', import.meta.url));
  process.env.DOVECOT_ROOT = (await findDovecot({ programsDir, dataDir: environment.dataDir })).root;
  const authority = testAuthority();
  const certificate = authority.issue([MAIL_HOST, '127.0.0.1']);
  const ca = path.join(environment.dataDir, 'ca.pem');
  fs.writeFileSync(ca, authority.cert);
  const logins = Object.fromEntries(Object.values(users).map((login) => [login, MAIL_PASSWORD]));
  const dovecot = await startDovecot({ certificate, users: logins, perUser: 100, sieve: {} });
  onCleanup(() => dovecot.stop());
  const nameServer = await startNameServer({ [MAIL_HOST]: { a: ['127.0.0.1'] } });
  onCleanup(() => nameServer.close());
  const [link, sink] = await Promise.all([countingLink(dovecot.imaps), startSink(certificate)]);

  const known = [`imaps://${MAIL_HOST}:${dovecot.imaps}`, `imaps://${MAIL_HOST}:${link.port}`];
  const system = await startSystem(environment, {
    nodeOptions,
    more: ['mail-account', 'settings', 'mail', ...more],
    settings: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_DNS: nameServer.address,
      GROUPWARE_OUTBOUND_CA_FILE: ca,
      MAIL_PORTS: '1024-65535',
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: [...known, `smtp://${MAIL_HOST}:${sink.port}`].join(','),
      ...settings,
    },
    properties: {
      'com.example.mail.passwordSource': 'global',
      'com.example.mail.filter.port': String(dovecot.sieve),
      ...properties,
    },
  });
  const names = Object.keys(users);
  const clients = {};
  for (const login of await createUsers(system.internalUrl, { quotaMb: -1 }, names)) {
    const [name, contextId] = login.split('@');
    const { client } = await enter(system.publicUrl, login);
    const account = `/admin/v1/contexts/${contextId}/users/${client.userId}/mail-account`;
    await administer(system.internalUrl, 'PUT', account, {
      imap: {
        host: MAIL_HOST,
        port: counted.includes(name) ? link.port : dovecot.imaps,
        secure: true,
        login: users[name],
      },
      smtp: { host: MAIL_HOST, port: sink.port, secure: false, starttls: true },
    });
    clients[name] = Object.assign(client, { contextId: Number(contextId), address: `${name}@c${contextId}.example` });
  }
  return { system, clients, dovecot, link, sink, ca: authority.cert };
}
