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
} from '@groupware/contracts';
import type { MailCredentials, MailServer, MailUse, SieveUse } from '@groupware/mail-access';
import { Caller } from '@groupware/messaging';
import { Properties, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { MailFilterSettings } from '../mail-filter.config';

/** A request of a user, as far as rules need it. */
export interface FilterRequest {
  readonly principal: UserPrincipal;
  /** ms UTC. */
  readonly deadline: number;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly query: { readonly username?: string };
}

/** Where the rules of a user are, and how to get there. */
export interface FilterAccount {
  readonly server: MailServer;
  readonly credentials: MailCredentials;
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
    const { principal, query } = request;
    const isOwn = !query.username || [principal.login, principal.email].includes(query.username);
    if (!isOwn || !principal.capabilities.includes(capability))
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
      credentials: await this.findCredentials(principal, account, isGlobal ? undefined : host),
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
    const { principal, deadline, requestId, signal } = request;
    const caller = {
      kind: 'internal',
      service: 'mail-filter',
      contextId: principal.contextId,
      user: principal,
    } as const;
    const query = { ids: [0] };
    const found = await this.caller.call(mailboxAccess.list, { principal: caller, deadline, requestId, signal, query });
    return found[0];
  }

  /** @param host of the user's own mailbox; undefined: the operator named the server */
  private async findCredentials(
    user: UserPrincipal,
    account: MailboxAccess,
    host: string | undefined,
  ): Promise<MailCredentials> {
    const [source, passwordSource] = await Promise.all([
      this.properties.get(FILTER_CREDENTIAL_SOURCE, user),
      this.properties.get(FILTER_PASSWORD_SOURCE, user),
    ]);
    const login = source === 'session' ? user.login : source === 'mail' ? user.email : account.login;
    const isMaster = passwordSource === 'global';
    const password = isMaster ? this.masterPasswordFor(host) : this.mailboxPassword(user, account);
    if (!login || !password) throw MailFilterErrors.badCredentials();
    const { masterLogin } = this.settings;
    return isMaster && masterLogin !== '' ? { login: masterLogin, password, authorizeAs: login } : { login, password };
  }

  /** It opens the rules of everybody: only servers that the operator named may see it. */
  private masterPasswordFor(host: string | undefined): string | undefined {
    const { masterPassword, masterServers } = this.settings;
    const isTrusted = host === undefined || masterServers.some((each) => each.toLowerCase() === host.toLowerCase());
    return isTrusted ? masterPassword?.reveal() : undefined;
  }

  private mailboxPassword(user: UserPrincipal, { id, secret }: MailboxAccess): string | undefined {
    return secret && this.texts.open(secret, toMailboxSecretOwner(user, id));
  }
}
