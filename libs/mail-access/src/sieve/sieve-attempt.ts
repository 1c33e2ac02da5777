import type { Socket } from 'node:net';
import { OutboundFailure, type AdmittedTarget, type OutboundGuard } from '@groupware/outbound';
import { MailFailure } from '../mail-failure';
import type { MailCredentials, MailServer } from '../mail-server';
import { tokenMessage } from '../token-message';
import type { SieveLimits } from './sieve-reader';
import { SieveRefusal } from './sieve-refusal';
import { SieveSession } from './sieve-session';

/** Bounds of a ManageSieve connection. */
export interface SieveUse extends SieveLimits {
  /** Longest time of one command, ms. */
  readonly commandTimeoutMs: number;
}

/** Enough for the scripts of people. */
export const SIEVE_LIMITS: SieveUse = {
  maxLineBytes: 65_536,
  maxLiteralBytes: 4 * 1024 * 1024,
  commandTimeoutMs: 30_000,
};

/** Answers that are no verdict on the credentials (RFC 5804, section 1.3). */
const NOT_NOW = new Set(['TRYLATER']);

/** One attempt to log in to a ManageSieve server: an object is used once. */
export class SieveAttempt {
  constructor(
    private readonly guard: OutboundGuard,
    private readonly server: MailServer,
    private readonly credentials: MailCredentials,
    private readonly use: SieveUse,
  ) {}

  /** Connects to a checked target and logs in. The signal ends the attempt; nothing stays open then. */
  async open(target: AdmittedTarget, signal: AbortSignal): Promise<SieveSession> {
    const { protection, allowPlain } = this.server;
    const secure = (socket: Socket) => this.guard.secure(socket, target, signal);
    const plain = await this.guard.open(target, signal);
    let session: SieveSession | undefined;
    const abort = () => (session ? session.destroy() : plain.destroy());
    signal.addEventListener('abort', abort, { once: true });
    try {
      session = new SieveSession(
        protection === 'tls' ? await secure(plain) : plain,
        this.use,
        this.use.commandTimeoutMs,
      );
      await session.readGreeting();
      let isSecure = protection === 'tls';
      if (!isSecure && session.capabilities.hasStartTls) {
        await session.startTls(secure);
        isSecure = true;
      }
      if (!isSecure && (protection === 'starttls' || !allowPlain)) throw new MailFailure('plain');
      await this.logIn(session);
      return session;
    } catch (error) {
      session?.destroy();
      plain.on('error', () => undefined).destroy();
      if (signal.aborted) throw new OutboundFailure('timeout', error);
      throw error instanceof SieveRefusal ? failureOf(error) : error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  private async logIn(session: SieveSession): Promise<void> {
    const { login, password = '', accessToken, authorizeAs = '' } = this.credentials;
    const { mechanisms } = session.capabilities;
    if (accessToken !== undefined) {
      const mechanism = (['OAUTHBEARER', 'XOAUTH2'] as const).find((name) => mechanisms.has(name));
      if (!mechanism) throw new MailFailure('authentication', 'XOAUTH2');
      await session.authenticate(mechanism, tokenMessage(mechanism, this.server, login, accessToken));
      return;
    }
    if (!mechanisms.has('PLAIN')) throw new MailFailure('authentication', 'PLAIN');
    // A zero byte would end the name (RFC 4616).
    if (/\0/.test(authorizeAs + login + password)) throw new MailFailure('credentials');
    const message = Buffer.from([authorizeAs, login, password].join('\0')).toString('base64');
    await session.authenticate('PLAIN', message);
  }
}

function failureOf({ code, isFarewell }: SieveRefusal): MailFailure {
  if (code === 'ENCRYPT-NEEDED') return new MailFailure('plain');
  if (code === 'AUTH-TOO-WEAK') return new MailFailure('authentication', 'PLAIN');
  if (isFarewell || NOT_NOW.has(code)) return new MailFailure('busy');
  return new MailFailure('credentials');
}
