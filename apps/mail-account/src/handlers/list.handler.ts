import {
  ALLOW_PLAIN_MAIL,
  MAILBOX_SECRET_PURPOSE,
  mailboxAccess,
  toMailboxSecretOwner,
  type CallOf,
  type CertificateDecision,
  type Handler,
  type MailboxAccess,
  type MailboxServer,
  type MailboxTransport,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, toUserPrincipal } from '@groupware/directory';
import { Handles, Properties, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Accounts, type OwnAccount } from '../accounts/accounts';
import { Certificates, normalizeHost } from '../certificates/certificates';
import { AccountCredentials } from '../credentials/account-credentials';
import { AccountLogins } from '../credentials/account-logins';
import { findStoredServer } from '../domain/account-view';
import { findLoginName, sharesPassword } from '../domain/password-grant';
import type { ServerAddress } from '../domain/server-address';
import { isUnified, PRIMARY_ID, type StoredAccount } from '../domain/stored-account';

/** `list`: mailboxes with sealed credentials, for the mail service. */
@Handles(mailboxAccess.list)
export class ListHandler implements Handler<typeof mailboxAccess.list> {
  private readonly texts: SealedText;

  constructor(
    private readonly accounts: Accounts,
    private readonly credentials: AccountCredentials,
    private readonly logins: AccountLogins,
    private readonly certificates: Certificates,
    private readonly properties: Properties,
    private readonly directory: Directory,
    keys: SecretKeySettings,
  ) {
    this.texts = new SealedText(keys.secretKeys(), MAILBOX_SECRET_PURPOSE);
  }

  async handle({ principal, query }: CallOf<typeof mailboxAccess.list>): Promise<readonly MailboxAccess[]> {
    const user = query.user === undefined ? principal.user : await this.findUser(principal, query.user);
    if (!user) return [];
    const wanted = (await this.accounts.listAccounts(user)).filter(
      ({ account }) => !isUnified(account) && (query.ids?.includes(account.id) ?? true),
    );
    const hasExternal = wanted.some(({ account }) => account.id !== PRIMARY_ID);
    const [allowPlain, accepted] = await Promise.all([
      this.properties.get(ALLOW_PLAIN_MAIL, user),
      hasExternal ? this.certificates.listAccepted(user) : [],
    ]);
    return Promise.all(
      wanted.map(async (own) => {
        const access = await this.toAccess(user, own, allowPlain, accepted);
        return query.user === undefined ? access : withoutSecrets(access);
      }),
    );
  }

  private async findUser(tenant: Tenant, id: number): Promise<UserPrincipal | undefined> {
    const user = (await this.directory.getEntities(tenant, [id])).get(id);
    return user?.kind === 'user' ? toUserPrincipal(tenant.contextId, user) : undefined;
  }

  private async toAccess(
    user: UserPrincipal,
    { account, view }: OwnAccount,
    allowPlain: boolean,
    accepted: readonly CertificateDecision[],
  ): Promise<MailboxAccess> {
    const server = account.mail_disabled ? undefined : findStoredServer(account, 'mail');
    const isCollected = server?.protocol === 'pop3' && account.id !== PRIMARY_ID;
    const usable = server?.protocol === 'imap' || isCollected ? server : undefined;
    const usesToken = usable !== undefined && (await this.logins.usesToken(user, account, 'mail'));
    const login = usable && !usesToken ? await this.credentials.findLogin(user, account, 'mail') : undefined;
    const transport = account.transport_disabled ? undefined : findStoredServer(account, 'transport');
    return {
      id: account.id,
      name: account.name ?? '',
      primaryAddress: account.primary_address ?? '',
      ...(account.personal ? { personal: account.personal } : {}),
      ...(account.reply_to ? { replyTo: account.reply_to } : {}),
      addresses: (view.addresses ?? account.primary_address ?? '').split(',').filter((address) => address !== ''),
      ...(usable && toPlace(account, usable, allowPlain && !usesToken && !login?.encryptedOnly)),
      ...(transport && { transport: await this.toTransport(user, account, transport, allowPlain, accepted) }),
      login: (usesToken ? findLoginName(account, 'mail') : account.login) ?? '',
      ...(usesToken ? { usesToken } : {}),
      ...(login && { secret: this.texts.seal(login.password, toMailboxSecretOwner(user, account.id)) }),
      acceptedCertificates: login?.isOperators || !usable ? [] : findAccepted(accepted, usable),
      folders: Object.fromEntries(
        (['trash', 'sent', 'drafts', 'spam', 'confirmed_spam', 'archive'] as const).flatMap((role) => {
          const name = account[`${role}_fullname`] ?? account[role];
          return name ? [[role, name]] : [];
        }),
      ),
    };
  }

  private async toTransport(
    user: UserPrincipal,
    account: StoredAccount,
    server: ServerAddress,
    allowPlain: boolean,
    accepted: readonly CertificateDecision[],
  ): Promise<MailboxTransport> {
    const hasLogin = account.transport_auth !== 'none';
    const usesToken = hasLogin && (await this.logins.usesToken(user, account, 'transport'));
    const named = sharesPassword(account) ? account.login : account.transport_login;
    const login = !hasLogin ? undefined : usesToken ? findLoginName(account, 'transport') : named;
    const found = login && !usesToken ? await this.credentials.findLogin(user, account, 'transport') : undefined;
    return {
      ...toServer(server, allowPlain && !usesToken && !found?.encryptedOnly),
      ...(login ? { login } : {}),
      ...(usesToken ? { usesToken } : {}),
      ...(found && { secret: this.texts.seal(found.password, toMailboxSecretOwner(user, account.id)) }),
      acceptedCertificates: found?.isOperators ? [] : findAccepted(accepted, server),
    };
  }
}

/** Where mails of an account are: at its IMAP server, or at the POP3 server from which they are collected. */
function toPlace(
  account: StoredAccount,
  address: ServerAddress,
  allowPlain: boolean,
): Pick<MailboxAccess, 'server' | 'pop3'> {
  const server = toServer(address, allowPlain);
  if (address.protocol === 'imap') return { server };
  return {
    pop3: {
      server,
      refreshMinutes: account.pop3_refresh_rate ?? 0,
      removesCollected: account.pop3_expunge_on_quit ?? false,
      folder: account.pop3_path || account.name || server.host,
    },
  };
}

/** A mailbox for whom its passwords are not meant. */
function withoutSecrets({ secret: _own, transport, ...access }: MailboxAccess): MailboxAccess {
  if (!transport) return access;
  const { secret: _other, ...server } = transport;
  return { ...access, transport: server };
}

const toServer = ({ host, port, secure, starttls }: ServerAddress, allowPlain: boolean): MailboxServer => ({
  host,
  port,
  protection: secure ? 'tls' : starttls ? 'starttls' : 'offered',
  allowPlain,
});

const findAccepted = (accepted: readonly CertificateDecision[], { host }: ServerAddress): string[] =>
  accepted.flatMap(({ hostname, fingerprint }) => (hostname === normalizeHost(host) ? [fingerprint] : []));
