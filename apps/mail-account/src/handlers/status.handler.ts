import {
  errorObject,
  localText,
  mailAccount,
  reply,
  type CallOf,
  type CatalogueError,
  type Handler,
  type MailAccountStatus,
  type UserPrincipal,
} from '@groupware/contracts';
import { mailFailureOf, warningOf, type MailFailureKind, type MailServer } from '@groupware/mail-access';
import { OutboundSettings } from '@groupware/outbound';
import { Handles } from '@groupware/service-kit';
import { AccountCheck } from '../account-check';
import { AccountCredentials } from '../account-credentials';
import { Accounts } from '../accounts';
import { storedServer } from '../domain/account-view';
import { isUnified, PRIMARY_ID, type StoredAccount } from '../domain/stored-account';

/** States that explain themselves. */
type PlainStatus = 'ok' | 'disabled' | 'invalid_credentials' | 'recreation_needed' | 'unknown';

/** What one account is like. */
type Judgement =
  | { readonly status: PlainStatus; readonly failure?: undefined }
  /** `warns` for problems of the network, which are warnings of the answer as well. */
  | { readonly status: string; readonly failure: CatalogueError; readonly warns: boolean };

const STATUS: Readonly<Record<MailFailureKind, string>> = {
  credentials: 'invalid_credentials',
  authentication: 'invalid_credentials',
  certificate: 'invalid_ssl',
  plain: 'inaccessible',
  unreachable: 'inaccessible',
  // Nothing specific is known.
  broken: 'invalid_credentials',
  busy: 'unknown',
};

/** `status`: logs in to one or all accounts, side by side, so that dead servers cost one time-out and not one each. */
@Handles(mailAccount.status)
export class StatusHandler implements Handler<typeof mailAccount.status> {
  constructor(
    private readonly accounts: Accounts,
    private readonly credentials: AccountCredentials,
    private readonly check: AccountCheck,
    private readonly outbound: OutboundSettings,
  ) {}

  async handle({ principal, query, signal }: CallOf<typeof mailAccount.status>) {
    const chosen =
      query.id === undefined ? await this.accounts.of(principal) : [await this.accounts.find(principal, query.id)];
    const judged = await Promise.all(
      chosen.map(async ({ account }) => [account, await this.judge(principal, account, signal)] as const),
    );
    const warnings = judged.flatMap(([, judgement]) =>
      judgement.failure && judgement.warns ? [judgement.failure] : [],
    );
    const states: Record<string, MailAccountStatus | null> = {};
    for (const [account, judgement] of judged)
      // The virtual account cannot be asked; among all accounts it has no state.
      states[account.id] =
        isUnified(account) && query.id === undefined
          ? null
          : { status: judgement.status, message: messageOf(judgement, principal.locale) };
    return reply(states, { warnings });
  }

  private async judge(user: UserPrincipal, account: StoredAccount, signal: AbortSignal): Promise<Judgement> {
    if (account.mail_disabled) return { status: 'disabled' };
    if (isUnified(account)) return { status: 'unknown' };
    const mail = storedServer(account, 'mail');
    // Nothing was provisioned: there is nothing that could work or fail.
    if (!mail && account.id === PRIMARY_ID) return { status: 'unknown' };
    // There is no service yet that would hand out tokens.
    if (!mail || (account.mail_oauth ?? -1) >= 0) return { status: 'recreation_needed' };
    const credentials = await this.credentials.find(user, account, 'mail');
    const timeoutMs = this.outbound.timeoutMs;
    const common = { user, id: account.id, timeoutMs, signal };
    const results = await Promise.all([
      credentials
        ? this.attempt(mail, credentials.login, () => this.check.mail({ ...common, server: mail, credentials }))
        : // Sealed with a key that is gone, or not meant for this server.
          { status: 'invalid_credentials' as const },
      this.transport(common, account),
    ]);
    return results.find(({ status }) => status !== 'ok') ?? { status: 'ok' };
  }

  /** With the credentials of the mail server nothing is learned here. */
  private async transport(
    common: { user: UserPrincipal; id: number; timeoutMs: number; signal: AbortSignal },
    account: StoredAccount,
  ): Promise<Judgement> {
    const server = storedServer(account, 'transport');
    if (!server || account.transport_auth !== 'custom') return { status: 'ok' };
    const credentials = await this.credentials.find(common.user, account, 'transport');
    if (!credentials) return { status: 'invalid_credentials' };
    return this.attempt(server, credentials.login, () => this.check.transport({ ...common, server, credentials }));
  }

  private async attempt(
    server: { host: string; protocol: string },
    login: string,
    work: () => Promise<unknown>,
  ): Promise<Judgement> {
    try {
      await work();
      return { status: 'ok' };
    } catch (error) {
      const failure = mailFailureOf(error);
      return {
        status: STATUS[failure.kind],
        failure: warningOf(failure, server as Pick<MailServer, 'host' | 'protocol'>, login),
        warns: failure.kind === 'unreachable' || failure.kind === 'broken',
      };
    }
  }
}

/** The text for the user in their language. */
const messageOf = (judgement: Judgement, locale: string): string =>
  judgement.failure
    ? errorObject(judgement.failure, locale).error
    : localText(`mailStatus.${judgement.status}`, locale);
