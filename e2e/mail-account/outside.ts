import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  startDovecot,
  startNameServer,
  testAuthority,
  type Dovecot,
  type DovecotOptions,
  type NameServer,
} from '@groupware/test-kit';
import { SMTPServer } from 'smtp-server';

/** Mail servers and a name server on loopback, and the settings with which the product reaches them. */
export interface Outside {
  readonly authority: ReturnType<typeof testAuthority>;
  readonly names: NameServer;
  readonly dovecot: Dovecot;
  /** Has an expired certificate. */
  readonly expired: Dovecot;
  /** The certificate of that server. */
  readonly expiredCertificate: { readonly cert: string; readonly key: string };
  readonly variables: Record<string, string>;
  /** Starts an SMTP server with TLS on offer that takes {@link MAIL_PASSWORD}; answers its port. */
  smtp(options?: object): Promise<number>;
  /** A server that does what it is told to with each connection. */
  peer(onSocket?: (socket: net.Socket) => void): Promise<number>;
  close(): Promise<void>;
}

/** Password of all users at these servers: long enough for the search of logs. */
export const MAIL_PASSWORD = 'a secret of the mail server';
/** Time-out of connections in these tests, ms. */
export const TIMEOUT_MS = 5_000;

const DAY_MS = 86_400_000;

/** Options of the servers: those of the mail server, and the authority of the certificates. */
export interface OutsideOptions extends Pick<DovecotOptions, 'quotaKib' | 'sharesFolders'> {
  readonly authority?: ReturnType<typeof testAuthority>;
}

/** Starts everything. */
export async function startOutside(
  logins: readonly string[] = ['ann'],
  { authority = testAuthority(), ...options }: OutsideOptions = {},
): Promise<Outside> {
  const users = Object.fromEntries(logins.map((login) => [login, MAIL_PASSWORD]));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'outside-'));
  const caFile = path.join(folder, 'ca.pem');
  writeFileSync(caFile, authority.cert);
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const names = await startNameServer({ 'mail.test': { a: ['127.0.0.1'] } });
  const good = authority.issue(['mail.test', 'imap.guess.test', 'smtp.guess.test', '127.0.0.1']);
  const dovecot = await startDovecot({ certificate: good, users, ...options });
  const past = { from: Date.now() - 10 * DAY_MS, to: Date.now() - DAY_MS };
  const expiredCertificate = authority.issue(['mail.test'], past);
  const expired = await startDovecot({ certificate: expiredCertificate, users });
  const listening = (server: net.Server) =>
    new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
  return {
    authority,
    names,
    dovecot,
    expired,
    expiredCertificate,
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_DNS: names.address,
      GROUPWARE_OUTBOUND_CA_FILE: caFile,
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '50',
      GROUPWARE_OUTBOUND_TIMEOUT_MS: String(TIMEOUT_MS),
      GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
      MAIL_PORTS: '1024-65535',
      MAIL_BREAKER_FAILURES: '100000',
    },
    smtp: async (options = {}) => {
      const server = new SMTPServer({
        logger: false,
        authMethods: ['PLAIN', 'LOGIN'],
        ...good,
        onAuth: (auth, _session, done) =>
          auth.password === MAIL_PASSWORD
            ? done(null, { user: auth.username })
            : done(Object.assign(new Error('refused'), { responseCode: 535 })),
        ...options,
      });
      server.on('error', () => undefined);
      closers.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
      return listening(server.server);
    },
    peer: (onSocket = () => undefined) => {
      const sockets = new Set<net.Socket>();
      const server = net.createServer((socket) => {
        sockets.add(socket.on('error', () => undefined));
        onSocket(socket);
      });
      closers.push(() => {
        for (const socket of sockets) socket.destroy();
        server.close();
      });
      return listening(server);
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      await Promise.all([dovecot.stop(), expired.stop(), names.close()]);
    },
  };
}
