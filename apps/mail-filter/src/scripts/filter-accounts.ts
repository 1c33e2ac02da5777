import {
  FILTER_CONNECTION_TIMEOUT,
  FILTER_CREDENTIAL_SOURCE,
  FILTER_LOGIN_TYPE,
  FILTER_MAX_SCRIPT_BYTES,
  FILTER_PASSWORD_SOURCE,
  FILTER_PORT,
  FILTER_SCRIPT_NAME,
  FILTER_SERVER,
  MAILBOX_SECRET_PURPOSE,
  mailboxAccess,
  MailFilterErrors,
  toMailboxSecretOwner,
  type MailboxAccess,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { withToken, type MailCredentials, type MailServer, type MailUse, type SieveUse } from '@groupware/mail-access';
import { Caller } from '@groupware/messaging';
import { Properties, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { MailFilterSettings } from '../mail-filter.config';

/** A request of the owner of rules. */
export interface FilterRequest extends UserRequest {
  /** An administrator asks in the place of the owner. */
  readonly isForOther?: boolean;
  readonly query: { readonly username?: string };
}

/** Server of the rules of a user, and how to get there. */
export interface FilterAccount {
  readonly server: MailServer;
  /** Logs in with the credentials that it hands over; where a token is refused, once more with another one. */
  readonly logIn: <T>(work: (credentials: MailCredentials) => Promise<T>) => Promise<T>;
  readonly use: MailUse;
  readonly limits: SieveUse;
  readonly scriptName: string;
}

/** Finds the server of rules of users. */
@Injectable()
export class FilterAccounts {
  private readonly texts: SealedText;

  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly settings: MailFilterSettings,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), MAILBOX_SECRET_PURPOSE);
  }

  /** @param capability that the call needs @throws MAIL_FILTER-0027, 0010, 0002 */
  async get(request: FilterRequest, capability: string): Promise<FilterAccount> {
    const { principal } = request;
    if (!principal.capabilities.includes(capability))
      throw MailFilterErrors.notAvailable(principal.userId, principal.contextId);
    const number = (property: typeof FILTER_PORT) => this.properties.get(property, principal);
    const text = (property: typeof FILTER_SERVER) => this.properties.get(property, principal);
    const [account, type, globalHost, port, timeoutMs, maxBytes, scriptName] = await Promise.all([
      this.findPrimary(request),
      text(FILTER_LOGIN_TYPE),
      text(FILTER_SERVER),
      number(FILTER_PORT),
      number(FILTER_CONNECTION_TIMEOUT),
      number(FILTER_MAX_SCRIPT_BYTES),
      text(FILTER_SCRIPT_NAME),
    ]);
    const isGlobal = type === 'global';
    const host = isGlobal ? globalHost : account?.server?.host;
    if (!account || !host) throw MailFilterErrors.noServer(principal.userId, principal.contextId);
    const owner = `${principal.contextId}:${principal.userId}`;
    return {
      // The upgrade is taken wherever it is offered; whether it is a must, is the same as for the mailbox.
      server: { protocol: 'sieve', host, port, protection: 'offered', allowPlain: account.server?.allowPlain ?? false },
      logIn: await this.findLogin(request, account, host, isGlobal),
      use: {
        account: `${owner}:sieve`,
        onBehalfOf: owner,
        timeoutMs,
        signal: request.signal,
        acceptsCertificate: async ({ fingerprint }) => !isGlobal && account.acceptedCertificates.includes(fingerprint),
      },
      limits: { maxLineBytes: 65_536, maxLiteralBytes: maxBytes, commandTimeoutMs: timeoutMs },
      scriptName,
    };
  }

  private async findPrimary(request: FilterRequest): Promise<MailboxAccess | undefined> {
    const { principal, isForOther, deadline, requestId, signal } = request;
    const caller = {
      kind: 'internal',
      service: 'mail-filter',
      contextId: principal.contextId,
      ...(isForOther ? {} : { user: principal }),
    } as const;
    const query = { ids: [0], ...(isForOther ? { user: principal.userId } : {}) };
    const found = await this.caller.call(mailboxAccess.list, { principal: caller, deadline, requestId, signal, query });
    return found[0];
  }

  /** @param isGlobal the operator named the server; otherwise it is that of the user's own mailbox */
  private async findLogin(
    request: FilterRequest,
    account: MailboxAccess,
    host: string,
    isGlobal: boolean,
  ): Promise<FilterAccount['logIn']> {
    const user = request.principal;
    const [source, passwordSource] = await Promise.all([
      this.properties.get(FILTER_CREDENTIAL_SOURCE, user),
      this.properties.get(FILTER_PASSWORD_SOURCE, user),
    ]);
    const login = source === 'session' ? user.login : source === 'mail' ? user.email : account.login;
    const isMaster = passwordSource === 'global';
    if (login && !isMaster && account.usesToken)
      return (work) =>
        withToken(this.tokensOf(request, account, host), (accessToken) =>
          work({ login, accessToken, encryptedOnly: true }),
        );
    const password = isMaster
      ? this.masterPasswordFor(isGlobal ? undefined : host)
      : this.mailboxPassword(user, account);
    if (!login || !password) throw MailFilterErrors.badCredentials();
    const { masterLogin } = this.settings;
    const hasMaster = isMaster && masterLogin !== '';
    return (work) => work(hasMaster ? { login: masterLogin, password, authorizeAs: login } : { login, password });
  }

  /** Asks for access tokens; for another one than the last when that was refused. */
  private tokensOf(
    { principal, signal }: FilterRequest,
    { id }: MailboxAccess,
    host: string,
  ): (refused?: string) => Promise<string | undefined> {
    const { contextId } = principal;
    const caller = { kind: 'internal', service: 'mail-filter', contextId, user: principal } as const;
    let secret: string | undefined;
    return async (refused) => {
      const query = {
        id,
        side: 'mail',
        host,
        ...(refused !== undefined && secret ? { refused: secret } : {}),
      } as const;
      secret = (await this.caller.call(mailboxAccess.findToken, { principal: caller, signal, query }))?.secret;
      return secret && this.texts.open(secret, toMailboxSecretOwner(principal, id));
    };
  }

  /** It opens the rules of all users: only servers that the operator named may see it. */
  private masterPasswordFor(host: string | undefined): string | undefined {
    const { masterPassword, masterServers } = this.settings;
    const isTrusted = host === undefined || masterServers.some((each) => each.toLowerCase() === host.toLowerCase());
    return isTrusted ? masterPassword?.reveal() : undefined;
  }

  private mailboxPassword(user: UserPrincipal, { id, secret }: MailboxAccess): string | undefined {
    return secret && this.texts.open(secret, toMailboxSecretOwner(user, id));
  }
}
