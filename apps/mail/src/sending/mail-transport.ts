import {
  CatalogueError,
  CertificateErrors,
  MAILBOX_SECRET_PURPOSE,
  MailConnectionErrors,
  MailErrors,
  toMailboxSecretOwner,
  type MailboxAccess,
  type MailboxTransport,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import {
  mailFailureOf,
  MailConnector,
  SmtpSession,
  type MailCredentials,
  type MailFailure,
  type SmtpEnvelope,
  type SmtpOutcome,
} from '@groupware/mail-access';
import { Logger, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { MailboxTokens } from '../accounts/mailbox-tokens';
import { SendingSettings } from './sending-settings';

const log = Logger.for('mail');

/** Hands over mails to the servers of accounts. */
@Injectable()
export class MailTransport {
  private readonly texts: SealedText;

  constructor(
    private readonly connector: MailConnector,
    private readonly settings: SendingSettings,
    private readonly tokens: MailboxTokens,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), MAILBOX_SECRET_PURPOSE);
  }

  /**
   * Sends a mail, once, to all recipients or to none.
   * @throws MSG-0065 without a server, why an account elsewhere gives no token (OAUTH-0013 and others), and MSG-1012, MSG-1013,
   * MSG-1016, MSG-1028, MSG-1030, MSG-1033 when it was not sent, MSG-9001 when it is unknown
   */
  async sendMail(
    { principal, signal }: Pick<UserRequest, 'principal' | 'signal'>,
    account: MailboxAccess,
    envelope: SmtpEnvelope,
    open: () => AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const { transport } = account;
    if (!transport) throw MailErrors.noTransport(account.name, account.id);
    const { host, login } = transport;
    const owner = `${principal.contextId}:${principal.userId}`;
    const use = {
      account: `${owner}:${account.id}`,
      onBehalfOf: owner,
      // Until the log-in only: what is on its way is not cut off, lest its fate become unknown.
      signal,
      acceptsCertificate: async ({ fingerprint }: { fingerprint: string }) =>
        transport.acceptedCertificates.includes(fingerprint),
    };
    const { port, protection, allowPlain } = transport;
    const server = { protocol: 'smtp', host, port, protection, allowPlain } as const;
    let outcome: SmtpOutcome | undefined;
    const handOver = (credentials: MailCredentials | undefined) =>
      this.connector.withSmtp(server, credentials, use, async ({ connection }) => {
        const { timeoutMs } = this.settings;
        outcome = await new SmtpSession(connection).transfer({ envelope, open, timeoutMs });
      });
    try {
      if (login === undefined) await handOver(undefined);
      else if (transport.usesToken)
        await this.tokens.use({ principal, signal }, account, { side: 'transport', host }, (accessToken) =>
          handOver({ login, accessToken }),
        );
      else await handOver({ login, password: this.unsealPassword(principal, account, transport) });
    } catch (error) {
      // The log-in failed: nothing was handed over.
      if (!outcome && error instanceof CatalogueError) throw error;
      if (!outcome) throw toConnectionError(mailFailureOf(error), host, login ?? '').with({ cause: error });
    }
    if (!outcome || outcome.state === 'sent') return;
    log.info({ context: principal.contextId, user: principal.userId, state: outcome.state }, 'mail not sent');
    throw toOutcomeError(outcome, host);
  }

  /** @throws MSG-1030 without a password */
  private unsealPassword(
    user: UserPrincipal,
    { id }: MailboxAccess,
    { host, login, secret }: MailboxTransport,
  ): string {
    const password = secret && this.texts.open(secret, toMailboxSecretOwner(user, id));
    if (!password) throw MailErrors.transportLoginFailed(host, login ?? '');
    return password;
  }
}

function toConnectionError({ kind, detail }: MailFailure, host: string, login: string): CatalogueError {
  switch (kind) {
    case 'credentials':
    case 'authentication':
      return MailErrors.transportLoginFailed(host, login);
    case 'certificate':
      return CertificateErrors.untrusted(detail, host);
    case 'plain':
      return MailConnectionErrors.insecureNotAllowed();
    case 'busy':
      return MailErrors.tooManyConnections(host);
    case 'timeout':
      return MailErrors.transportTimedOut(host);
    default:
      return MailErrors.unreachable(host);
  }
}

function toOutcomeError({ state, refusal, recipients, isTimeout }: SmtpOutcome, host: string): CatalogueError {
  if (state === 'unknown') return MailErrors.sendUnknown(host);
  if (refusal === 'recipients') return MailErrors.recipientsRefused(recipients.join(', '));
  if (state === 'refused' && refusal !== 'sender') return MailErrors.mailRefused(host);
  return isTimeout ? MailErrors.transportTimedOut(host) : MailErrors.notSent(host);
}
