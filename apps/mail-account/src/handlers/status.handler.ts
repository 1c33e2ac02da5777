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
import { AccountCheck } from '../connection/account-check';
import { AccountCredentials } from '../credentials/account-credentials';
import { Accounts } from '../accounts/accounts';
import { findStoredServer } from '../domain/account-view';
import { isUnified, PRIMARY_ID, type StoredAccount } from '../domain/stored-account';

/** States without further detail. */
type PlainStatus = 'ok' | 'disabled' | 'invalid_credentials' | 'recreation_needed' | 'unknown';

/** State of an account. */
type AccountState =
  | { readonly status: PlainStatus; readonly failure?: undefined }
  /** `warns` for network problems, which are also warnings of the response. */
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
  timeout: 'unknown',
};

/** `status`: checks one or all accounts concurrently, so that dead servers cost one timeout in total. */
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
      query.id === undefined
        ? await this.accounts.listAccounts(principal)
        : [await this.accounts.getAccount(principal, query.id)];
    const judged = await Promise.all(
      chosen.map(async ({ account }) => [account, await this.determineState(principal, account, signal)] as const),
    );
    const warnings = judged.flatMap(([, judgement]) =>
      judgement.failure && judgement.warns ? [judgement.failure] : [],
    );
    const states: Record<string, MailAccountStatus | null> = {};
    for (const [account, judgement] of judged)
      // The unified account has no server; in lists it has no state.
      states[account.id] =
        isUnified(account) && query.id === undefined
          ? null
          : { status: judgement.status, message: toMessage(judgement, principal.locale) };
    return reply(states, { warnings });
  }

  private async determineState(
    user: UserPrincipal,
    account: StoredAccount,
    signal: AbortSignal,
  ): Promise<AccountState> {
    if (account.mail_disabled) return { status: 'disabled' };
    if (isUnified(account)) return { status: 'unknown' };
    const mail = findStoredServer(account, 'mail');
    // Nothing was provisioned, so nothing can fail.
    if (!mail && account.id === PRIMARY_ID) return { status: 'unknown' };
    // No OAuth token service exists yet.
    if (!mail || (account.mail_oauth ?? -1) >= 0) return { status: 'recreation_needed' };
    const credentials = await this.credentials.findLogin(user, account, 'mail');
    const timeoutMs = this.outbound.timeoutMs;
    const common = { user, id: account.id, timeoutMs, signal };
    const results = await Promise.all([
      credentials
        ? this.attemptLogin(mail, credentials.login, () =>
            this.check.checkMail({ ...common, server: mail, credentials }),
          )
        : // Sealed with a key that is gone, or not meant for this server.
          { status: 'invalid_credentials' as const },
      this.checkTransport(common, account),
    ]);
    return results.find(({ status }) => status !== 'ok') ?? { status: 'ok' };
  }

  /** Skipped with the credentials of the mail server, which were just checked. */
  private async checkTransport(
    common: { user: UserPrincipal; id: number; timeoutMs: number; signal: AbortSignal },
    account: StoredAccount,
  ): Promise<AccountState> {
    const server = findStoredServer(account, 'transport');
    if (!server || account.transport_auth !== 'custom') return { status: 'ok' };
    const credentials = await this.credentials.findLogin(common.user, account, 'transport');
    if (!credentials) return { status: 'invalid_credentials' };
    return this.attemptLogin(server, credentials.login, () =>
      this.check.checkTransport({ ...common, server, credentials }),
    );
  }

  private async attemptLogin(
    server: { host: string; protocol: string },
    login: string,
    work: () => Promise<unknown>,
  ): Promise<AccountState> {
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

/** Localized message for the user. */
const toMessage = (judgement: AccountState, locale: string): string =>
  judgement.failure
    ? errorObject(judgement.failure, locale).error
    : localText(`mailStatus.${judgement.status}`, locale);
