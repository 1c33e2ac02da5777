import {
  CatalogueError,
  errorObject,
  localText,
  mailAccount,
  OAuthErrors,
  reply,
  type CallOf,
  type Handler,
  type MailAccountStatus,
  type UserPrincipal,
} from '@groupware/contracts';
import { mailFailureOf, warningOf, type MailFailureKind, type MailServer } from '@groupware/mail-access';
import { OutboundSettings } from '@groupware/outbound';
import { Handles } from '@groupware/service-kit';
import { AccountCheck, type CheckOutcome } from '../connection/account-check';
import { AccountLogins, type LoginWork } from '../credentials/account-logins';
import { Accounts } from '../accounts/accounts';
import { findStoredServer } from '../domain/account-view';
import { findLoginName } from '../domain/password-grant';
import type { ServerAddress, ServerSide } from '../domain/server-address';
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

/**
 * `status`: checks one or all accounts concurrently, so that dead servers cost one timeout in total. The primary account is not
 * checked.
 */
@Handles(mailAccount.status)
export class StatusHandler implements Handler<typeof mailAccount.status> {
  constructor(
    private readonly accounts: Accounts,
    private readonly logins: AccountLogins,
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
    // Its servers are the operator's: the user could put nothing right.
    if (account.id === PRIMARY_ID) return { status: 'ok' };
    if (isUnified(account)) return { status: 'unknown' };
    const mail = findStoredServer(account, 'mail');
    if (!mail) return { status: 'recreation_needed' };
    const common = { user, id: account.id, timeoutMs: this.outbound.timeoutMs, signal };
    const transport = findStoredServer(account, 'transport');
    const results = await Promise.all([
      this.attemptLogin(user, account, 'mail', mail, (server, credentials) =>
        this.check.checkMail({ ...common, server, credentials }),
      ),
      // Skipped with the credentials of the mail server, which are checked there.
      transport && account.transport_auth === 'custom'
        ? this.attemptLogin(user, account, 'transport', transport, (server, credentials) =>
            this.check.checkTransport({ ...common, server, credentials }),
          )
        : ({ status: 'ok' } as const),
    ]);
    return results.find(({ status }) => status !== 'ok') ?? { status: 'ok' };
  }

  private async attemptLogin(
    user: UserPrincipal,
    account: StoredAccount,
    side: ServerSide,
    server: ServerAddress,
    work: LoginWork<CheckOutcome>,
  ): Promise<AccountState> {
    const login = findLoginName(account, side);
    try {
      // Without credentials: sealed with a key that is gone, or not meant for this server.
      return { status: (await this.logins.logIn(user, account, side, work)) ? 'ok' : 'invalid_credentials' };
    } catch (error) {
      if (error instanceof CatalogueError) return toTokenState(error);
      const failure = mailFailureOf(error);
      return {
        status: STATUS[failure.kind],
        failure: warningOf(failure, server as Pick<MailServer, 'host' | 'protocol'>, login),
        warns: failure.kind === 'unreachable' || failure.kind === 'broken',
      };
    }
  }
}

/** Why there is no token: the account is gone, its access ended, or its service does not answer and may do so later. */
function toTokenState(error: CatalogueError): AccountState {
  if (error.is(OAuthErrors.accountNotFound) || error.is(OAuthErrors.unknownService))
    return { status: 'recreation_needed' };
  const status = error.is(OAuthErrors.invalidAccount) ? 'recreation_needed' : 'unknown';
  return { status, failure: error, warns: false };
}

/** Localized message for the user. */
const toMessage = (judgement: AccountState, locale: string): string =>
  judgement.failure
    ? errorObject(judgement.failure, locale).error
    : localText(`mailStatus.${judgement.status}`, locale);
