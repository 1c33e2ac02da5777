import { CertificateFailure, OutboundFailure, type AdmittedTarget, type OutboundGuard } from '@groupware/outbound';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { MailFailure } from './mail-failure';
import type { MailCredentials, MailServer } from './mail-server';
import { tokenMessage } from './token-message';

/** An SMTP connection, logged in where credentials were given. */
export interface SmtpConnection {
  readonly connection: SMTPConnection;
  /** True when it is encrypted. */
  readonly secure: boolean;
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
}

/** Largest answer to one command, bytes. */
const MAX_ANSWER_BYTES = 65_536;

/** One attempt to log in to an SMTP server: an object is used once. */
export class SmtpAttempt {
  constructor(
    private readonly guard: OutboundGuard,
    private readonly server: MailServer,
    /** Undefined: the server needs no log-in. */
    private readonly credentials: MailCredentials | undefined,
  ) {}

  /** Connects to a checked target and logs in. The signal ends the attempt; nothing stays open then. */
  async open(target: AdmittedTarget, signal: AbortSignal): Promise<SmtpConnection> {
    const { protection, allowPlain } = this.server;
    const plain = await this.guard.open(target, signal);
    const socket = protection === 'tls' ? await this.guard.secure(plain, target, signal) : plain;
    const connection = new SMTPConnection({
      host: target.host,
      port: target.port,
      connection: socket,
      secure: protection === 'tls',
      secured: protection === 'tls',
      requireTLS: protection === 'starttls' || !allowPlain,
      // Verified below, before anything secret is said.
      tls: { ...this.guard.tlsOptions(target), host: target.host, rejectUnauthorized: false },
      logger: false,
      maxResponseSize: MAX_ANSWER_BYTES,
      customAuth: { OAUTHBEARER: (context) => this.bearer(context, target) },
    });
    let failed: (error: unknown) => void = () => undefined;
    const abort = () => failed(new OutboundFailure('timeout'));
    try {
      await new Promise<void>((resolve, reject) => {
        failed = reject;
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) return abort();
        connection.on('error', reject);
        connection.once('end', () => reject(new Error('the server hung up')));
        connection.connect((error) => {
          if (error) return reject(error);
          // A connection that could not be upgraded was refused above, unless clear text is allowed.
          const isUpgraded = connection.secure && protection !== 'tls';
          const verified = isUpgraded
            ? this.guard.verify((connection as unknown as { _socket?: unknown })._socket, target)
            : Promise.resolve();
          verified.then(() => {
            if (!this.credentials) return resolve();
            connection.login(this.authentication(connection), (refused) => (refused ? reject(refused) : resolve()));
          }, reject);
        });
      });
      connection.removeAllListeners('error').on('error', () => undefined);
      return { connection, secure: connection.secure };
    } catch (error) {
      connection.on('error', () => undefined);
      connection.close();
      socket.destroy();
      throw this.failureOf(error as SmtpError);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  private authentication(connection: SMTPConnection): object {
    const { login, password = '', accessToken } = this.credentials!;
    if (accessToken === undefined) return { user: login, pass: password };
    const offered = String((connection as { lastServerResponse?: unknown }).lastServerResponse ?? '');
    if (/AUTH[ =].*OAUTHBEARER/i.test(offered)) return { method: 'OAUTHBEARER', user: login, pass: accessToken };
    return {
      method: 'XOAUTH2',
      user: login,
      oauth2: {
        // A second call means that the token was refused; another one is the caller's business.
        getToken: (isRetry: boolean, done: (error: Error | null, token?: string) => void) =>
          isRetry
            ? done(Object.assign(new Error('refused'), { code: 'EAUTH', responseCode: 535 }))
            : done(null, accessToken),
        buildXOAuth2Token: (token: string) => tokenMessage('XOAUTH2', this.server, login, token),
      },
    };
  }

  /** RFC 7628. */
  private async bearer(
    context: { sendCommand(command: string): Promise<{ status?: number }> },
    target: AdmittedTarget,
  ): Promise<void> {
    const { login, accessToken } = this.credentials!;
    const text = tokenMessage('OAUTHBEARER', target, login, accessToken!);
    const answer = await context.sendCommand(`AUTH OAUTHBEARER ${text}`);
    if (answer.status !== 235) throw Object.assign(new Error('refused'), { responseCode: 535 });
  }

  private failureOf(error: SmtpError): unknown {
    if (error instanceof OutboundFailure || error instanceof CertificateFailure) return error;
    const { code = '', responseCode = 0 } = error;
    if (responseCode === 421 || responseCode === 454) return new MailFailure('busy');
    if (code === 'EAUTH') {
      if (responseCode === 504 || responseCode === 534 || responseCode === 0)
        return new MailFailure('authentication', this.credentials?.accessToken ? 'XOAUTH2' : 'LOGIN');
      return new MailFailure(responseCode === 530 || responseCode === 538 ? 'plain' : 'credentials');
    }
    if (code === 'ETLS') return new MailFailure('plain');
    return new OutboundFailure(code === 'ESOCKET' ? 'unreachable' : 'protocol', error);
  }
}
