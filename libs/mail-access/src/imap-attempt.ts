import type { LookupFunction } from 'node:net';
import {
  CertificateFailure,
  certificateFailureOf,
  OutboundFailure,
  type AdmittedTarget,
  type OutboundGuard,
} from '@groupware/outbound';
import { ImapFlow } from 'imapflow';
import { MailFailure } from './mail-failure';
import type { MailCredentials, MailLimits, MailServer } from './mail-server';

/** An IMAP connection that is logged in. */
export interface ImapConnection {
  readonly client: ImapFlow;
  /** True when it is encrypted. */
  readonly secure: boolean;
}

/** Pause without traffic after which a connection counts as dead, ms. */
const SILENCE_MS = 5 * 60_000;
/** Codes of RFC 5530 that are no verdict on the credentials. */
const NOT_NOW = /^(UNAVAILABLE|LIMIT|INUSE|SERVERBUG|CONTACTADMIN)$/;

/** Codes of RFC 5530 that tell why a login is refused, with right credentials too. */
const REASONS = /^(EXPIRED|AUTHORIZATIONFAILED)$/;

/** One attempt to log in to an IMAP server: an object is used once. */
export class ImapAttempt {
  private client: ImapFlow | undefined;
  private lateProblem: unknown;
  private refusal: unknown;

  constructor(
    private readonly guard: OutboundGuard,
    private readonly server: MailServer,
    private readonly credentials: MailCredentials,
    private readonly limits: MailLimits,
  ) {}

  /** Connects to a checked target and logs in. The signal ends the attempt; nothing stays open then. */
  async open(target: AdmittedTarget, signal: AbortSignal): Promise<ImapConnection> {
    try {
      return await this.connect(target, signal, true);
    } catch (error) {
      if (!(error instanceof CertificateFailure)) throw error;
      // The library does not show what it refuses: a second connection does, and ends before the log-in.
      return this.connect(target, signal, false);
    }
  }

  private async connect(target: AdmittedTarget, signal: AbortSignal, isStrict: boolean): Promise<ImapConnection> {
    const { login, password, accessToken } = this.credentials;
    const { protection, allowPlain } = this.server;
    const client = new ImapFlow({
      host: target.host,
      port: target.port,
      secure: protection === 'tls',
      // Without clear text the upgrade is a must; otherwise it is taken when offered.
      ...(protection === 'tls' ? {} : protection === 'starttls' || !allowPlain ? { doSTARTTLS: true } : {}),
      auth: accessToken === undefined ? { user: login, pass: password ?? '' } : { user: login, accessToken },
      // These options go to the socket as well: it connects to the addresses that were checked.
      tls: {
        ...this.guard.tlsOptions(target),
        lookup: answerFixed(target.addresses),
        rejectUnauthorized: isStrict,
      },
      logger: false,
      disableAutoIdle: true,
      disableCompression: true,
      socketTimeout: SILENCE_MS,
      maxLineLength: this.limits.maxLineBytes,
      maxLiteralSize: this.limits.maxLiteralBytes,
      maxResponseSize: this.limits.maxLiteralBytes + this.limits.maxLineBytes,
    });
    this.client = client;
    this.lateProblem = undefined;
    if (!isStrict) this.verifyBeforeLogin(client, target);
    // Without a listener an error between two commands would end the process; the commands fail by themselves.
    client.on('error', (error: unknown) => (this.lateProblem ??= error));
    const abort = () => client.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) throw new OutboundFailure('timeout');
      await client.connect();
      // A greeting with PREAUTH leaves no room for the upgrade.
      if (!client.secureConnection && (protection !== 'offered' || !allowPlain)) throw new MailFailure('plain');
      if (isStrict && client.secureConnection) await this.guard.verify(innerOf(client).socket, target);
      return { client, secure: client.secureConnection };
    } catch (error) {
      client.close();
      throw this.failureOf(error, target, signal);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Lets the client log in only once its connection was verified. */
  private verifyBeforeLogin(client: ImapFlow, target: AdmittedTarget): void {
    const inner = innerOf(client);
    const logIn = inner.authenticate?.bind(client);
    if (!logIn) throw new CertificateFailure(target.host, 'UNKNOWN');
    inner.authenticate = async () => {
      try {
        await this.guard.verify(inner.socket, target);
      } catch (error) {
        this.refusal = error;
        throw error;
      }
      return logIn();
    };
  }

  private failureOf(error: unknown, target: AdmittedTarget, signal: AbortSignal): unknown {
    const known = error as {
      authenticationFailed?: boolean;
      serverResponseCode?: string;
      code?: string;
      message?: string;
    };
    if (error instanceof MailFailure) return error;
    if (this.refusal) return this.refusal;
    const certificate = certificateFailureOf(error, target.host) ?? certificateFailureOf(this.lateProblem, target.host);
    if (certificate) return certificate;
    if (signal.aborted) return new OutboundFailure('timeout', error);
    if (this.lacksMechanism(this.client?.capabilities)) return new MailFailure('authentication', 'XOAUTH2');
    if (known.authenticationFailed) {
      const code = known.serverResponseCode ?? '';
      if (NOT_NOW.test(code)) return new MailFailure('busy', code);
      if (code === 'PRIVACYREQUIRED') return new MailFailure('plain', code);
      if (/Login is disabled/.test(known.message ?? '')) return new MailFailure('plain');
      if (/No matching authentication/.test(known.message ?? '')) return new MailFailure('authentication', 'LOGIN');
      return new MailFailure('credentials', REASONS.test(code) ? code : '');
    }
    if (/STARTTLS/i.test(known.message ?? '')) return new MailFailure('plain');
    return new OutboundFailure(
      /^(ECONN|EHOST|ENET|ETIMEDOUT)/.test(known.code ?? '') ? 'unreachable' : 'protocol',
      error,
    );
  }

  private lacksMechanism(capabilities: ReadonlyMap<string, unknown> | undefined): boolean {
    if (this.credentials.accessToken === undefined || !capabilities?.size) return false;
    return !['AUTH=OAUTHBEARER', 'AUTH=XOAUTH2', 'AUTH=XOAUTH'].some((name) => capabilities.has(name));
  }
}

/** Shows members that the library hides. */
const innerOf = (client: ImapFlow) =>
  client as unknown as { authenticate?: () => Promise<unknown>; readonly socket?: unknown };

/** Answers a fixed list of addresses, whatever is asked. */
function answerFixed(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_name, options, callback) => {
    if (options.all) callback(null, entries);
    else callback(null, entries[0]!.address, entries[0]!.family);
  };
}
