import { OutboundFailure, PortList, readHost, type AdmittedTarget, type OutboundGuard } from '@groupware/outbound';
import type { ConnectionGovernor, ConnectionLease, ConnectionWish } from './governor/connection-governor';
import { ImapAttempt, type ImapConnection } from './imap-attempt';
import { isAnswer, mailFailureOf } from './mail-failure';
import { pause } from './pause';
import { CHECK_LIMITS, MAILBOX_LIMITS, type MailCredentials, type MailLimits, type MailServer } from './mail-server';
import { Pop3Attempt } from './pop3/pop3-attempt';
import type { Pop3Session } from './pop3/pop3-session';
import { SIEVE_LIMITS, SieveAttempt, type SieveUse } from './sieve/sieve-attempt';
import type { SieveSession } from './sieve/sieve-session';
import { SmtpAttempt, type SmtpConnection } from './smtp-attempt';

/** On whose behalf, and how urgent, a server is used. */
export interface MailUse {
  /** Unique name of the account, such as `7:3:1`: its connections share a budget. */
  readonly account: string;
  /** User whose attempts the guard counts, such as `7:3`. */
  readonly onBehalfOf?: string;
  readonly priority?: 'user' | 'background';
  /** Longest time until the log-in is done, ms; default: the setting of the guard. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** True for a certificate that the user accepts although it is not trusted. */
  readonly acceptsCertificate?: AdmittedTarget['accepts'];
  /** See {@link ConnectionWish}. */
  readonly onFull?: ConnectionWish['onFull'];
}

/** A connection that is in use until it is closed. */
export interface HeldConnection<C> {
  readonly connection: C;
  /** Says goodbye and gives the place in the budgets back, in the background. */
  close(): void;
}

/** Longest time a server gets to say goodbye, ms. */
const FAREWELL_MS = 1_000;
/** How long a connection counts that we gave up, ms: the server has yet to notice. */
const GIVEN_UP_MS = 250;

/**
 * Connections to mail servers of users: through the guard, within the budget of the governor. All failures are
 * {@link MailFailure}s; those with a cause in the network take a multiple of the same time.
 */
export class MailConnector {
  constructor(
    private readonly guard: OutboundGuard,
    private readonly governor: ConnectionGovernor,
    private readonly ports: PortList,
  ) {}

  /** Logs in to an IMAP server, lets `work` use the connection, and closes it. @throws MailFailure */
  withImap<T>(
    server: MailServer,
    credentials: MailCredentials,
    use: MailUse,
    work: (connection: ImapConnection) => Promise<T>,
    limits: MailLimits = CHECK_LIMITS,
  ): Promise<T> {
    return this.use(
      server,
      use,
      (target, signal) =>
        new ImapAttempt(this.guard, protectedFor(server, credentials), credentials, limits).open(target, signal),
      work,
      ({ client }) => client.logout().finally(() => client.close()),
    );
  }

  /**
   * Logs in to an SMTP server, lets `work` use the connection, and closes it.
   * @param credentials undefined for servers that need none
   * @throws MailFailure
   */
  withSmtp<T>(
    server: MailServer,
    credentials: MailCredentials | undefined,
    use: MailUse,
    work: (connection: SmtpConnection) => Promise<T>,
  ): Promise<T> {
    return this.use(
      server,
      use,
      (target, signal) =>
        new SmtpAttempt(this.guard, protectedFor(server, credentials), credentials).open(target, signal),
      work,
      ({ connection }) =>
        new Promise((resolve) => {
          connection.once('end', resolve);
          connection.quit();
        }),
    );
  }

  /** Logs in to a POP3 server, lets `work` use the session, and closes it. @throws MailFailure */
  withPop3<T>(
    server: MailServer,
    credentials: MailCredentials,
    use: MailUse,
    work: (session: Pop3Session) => Promise<T>,
  ): Promise<T> {
    return this.use(
      server,
      use,
      (target, signal) =>
        new Pop3Attempt(this.guard, protectedFor(server, credentials), credentials).open(target, signal),
      work,
      // Work that removes mails has said goodbye by itself.
      (session) => session.close(),
    );
  }

  /** Logs in to an IMAP server; the connection counts until it is closed. @throws MailFailure */
  openImap(
    server: MailServer,
    credentials: MailCredentials,
    use: MailUse,
    limits: MailLimits = MAILBOX_LIMITS,
  ): Promise<HeldConnection<ImapConnection>> {
    return this.open(
      server,
      use,
      (target, signal) =>
        new ImapAttempt(this.guard, protectedFor(server, credentials), credentials, limits).open(target, signal),
      ({ client }) => client.logout().finally(() => client.close()),
    );
  }

  /** Logs in to a ManageSieve server; the connection counts until it is closed. @throws MailFailure */
  openSieve(
    server: MailServer,
    credentials: MailCredentials,
    use: MailUse,
    limits: SieveUse = SIEVE_LIMITS,
  ): Promise<HeldConnection<SieveSession>> {
    return this.open(
      server,
      use,
      (target, signal) =>
        new SieveAttempt(this.guard, protectedFor(server, credentials), credentials, limits).open(target, signal),
      (session) => session.close(),
    );
  }

  private async use<C, T>(
    server: MailServer,
    use: MailUse,
    open: (target: AdmittedTarget, signal: AbortSignal) => Promise<C>,
    work: (connection: C) => Promise<T>,
    close: (connection: C) => Promise<unknown>,
  ): Promise<T> {
    const held = await this.open(server, use, open, close);
    try {
      return await work(held.connection);
    } catch (error) {
      throw mailFailureOf(error);
    } finally {
      held.close();
    }
  }

  private async open<C>(
    server: MailServer,
    use: MailUse,
    open: (target: AdmittedTarget, signal: AbortSignal) => Promise<C>,
    close: (connection: C) => Promise<unknown>,
  ): Promise<HeldConnection<C>> {
    let lease: ConnectionLease | undefined;
    try {
      const connection = await this.guard.attempt(
        { purpose: server.protocol, onBehalfOf: use.onBehalfOf, timeoutMs: use.timeoutMs, signal: use.signal },
        async (signal) => {
          // Checked first: hosts that may not be connected to take no part in budgets and pauses.
          const target = await this.guard.check({ host: server.host, port: server.port, ports: this.ports }, signal);
          lease = await this.governor.acquire({
            host: `${readHost(server.host)?.host ?? server.host}:${server.port}`,
            manner: `${server.protocol}/${server.protection}`,
            account: use.account,
            priority: use.priority ?? 'user',
            signal,
            ...(use.onFull ? { onFull: use.onFull } : {}),
          });
          return this.reported(lease, target, use, () => open({ ...target, accepts: use.acceptsCertificate }, signal));
        },
        isAnswer,
      );
      const held = lease;
      return {
        connection,
        close: () => {
          // The place is free once the server, too, counts the connection no more; the caller need not wait for that.
          void Promise.race([close(connection), pause(FAREWELL_MS, { ref: false })])
            .catch(() => undefined)
            .then(() => held?.release());
        },
      };
    } catch (error) {
      const held = lease;
      if (held) void pause(GIVEN_UP_MS, { ref: false }).then(() => held.release());
      throw mailFailureOf(error);
    }
  }

  private async reported<C>(
    lease: ConnectionLease,
    target: AdmittedTarget,
    { signal }: MailUse,
    open: () => Promise<C>,
  ): Promise<C> {
    try {
      const connection = await open();
      void lease.report('ok');
      return connection;
    } catch (error) {
      // A server that answers works, whatever it says of the credentials.
      const hasFailed = error instanceof OutboundFailure;
      if (hasFailed) this.guard.forgetSession(target);
      // A caller who went away meanwhile says nothing about the server, which others would be kept from.
      if (!hasFailed || !signal?.aborted) await lease.report(hasFailed ? 'failed' : 'ok');
      throw error;
    }
  }
}

/** The server as it may be used with these credentials. */
const protectedFor = (server: MailServer, credentials: MailCredentials | undefined): MailServer =>
  credentials?.encryptedOnly ? { ...server, allowPlain: false } : server;
