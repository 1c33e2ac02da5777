import {
  MAIL_LOGIN_SOURCE,
  MAIL_SERVER,
  MAIL_SERVER_SOURCE,
  MAIL_START_TLS,
  DEFAULT_TRANSPORT_PORT,
  PRIMARY_ACCOUNT_DISABLED,
  PRIMARY_ACCOUNT_NAME,
  TRANSPORT_SERVER,
  TRANSPORT_START_TLS,
  type DirectoryUser,
  type MailAccountData,
  type MailServer,
  type Tenant,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Logger, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { toServerFields } from '../domain/account-view';
import { parseServerFields, type ServerAddress, type ServerSide } from '../domain/server-address';
import { PRIMARY_ID, type StoredAccount } from '../domain/stored-account';

/** A primary account with the addresses of its user. */
export interface PrimaryAccount {
  readonly account: StoredAccount;
  /** Primary address first. */
  readonly addresses: readonly string[];
}

const log = Logger.for('mail-account.primary');

/** Derives primary accounts from the user as provisioned, from properties, and from what the user chose. */
@Injectable()
export class PrimaryAccounts {
  constructor(
    private readonly directory: Directory,
    private readonly properties: Properties,
  ) {}

  /**
   * Finds the primary account of a user.
   * @param row its stored values, if any
   * @returns undefined for an unknown user
   */
  async findPrimaryAccount(
    tenant: Tenant,
    userId: number,
    row: StoredAccount | undefined,
  ): Promise<PrimaryAccount | undefined> {
    const user = (await this.directory.getEntities(tenant, [userId])).get(userId);
    if (user?.kind !== 'user') return undefined;
    const owner = { contextId: tenant.contextId, userId };
    const [source, loginSource, name, disabled, mail, transport] = await Promise.all([
      this.properties.get(MAIL_SERVER_SOURCE, owner),
      this.properties.get(MAIL_LOGIN_SOURCE, owner),
      this.properties.get(PRIMARY_ACCOUNT_NAME, owner),
      this.properties.get(PRIMARY_ACCOUNT_DISABLED, owner),
      this.findConfiguredServer('mail', owner),
      this.findConfiguredServer('transport', owner),
    ]);
    const { imap, smtp } = user.mailServers ?? {};
    const provisioned = (protocol: 'imap' | 'smtp') =>
      source === 'user' ? toServerAddress(protocol, user.mailServers?.[protocol]) : undefined;
    return {
      account: {
        ...row,
        id: PRIMARY_ID,
        ...toServerFields('mail', provisioned('imap') ?? mail ?? null),
        ...toServerFields('transport', provisioned('smtp') ?? transport ?? null),
        name,
        login: imap?.login ?? (loginSource === 'name' ? user.name : user.email),
        primary_address: user.email,
        transport_login: smtp?.login ?? null,
        transport_auth: smtp?.login ? 'custom' : 'mail',
        mail_disabled: disabled,
        transport_disabled: disabled,
      },
      addresses: listAddresses(user),
    };
  }

  /** Finds the server in the properties of an owner; without owner, in those of the server scope. */
  async findConfiguredServer(
    side: ServerSide,
    owner: { readonly contextId?: number; readonly userId?: number } = {},
  ): Promise<ServerAddress | undefined> {
    const [server, starttls, transportPort] = await Promise.all([
      this.properties.get(side === 'mail' ? MAIL_SERVER : TRANSPORT_SERVER, owner),
      this.properties.get(side === 'mail' ? MAIL_START_TLS : TRANSPORT_START_TLS, owner),
      this.properties.get(DEFAULT_TRANSPORT_PORT, owner),
    ]);
    if (!server) return undefined;
    const body: MailAccountData = { [`${side}_url`]: server, [`${side}_starttls`]: starttls };
    try {
      return parseServerFields(body, side, undefined, side === 'transport' ? transportPort : undefined) ?? undefined;
    } catch (error) {
      log.error({ side, server, error: String(error) }, 'the property names no server');
      return undefined;
    }
  }
}

function toServerAddress(protocol: 'imap' | 'smtp', server: MailServer | null | undefined): ServerAddress | undefined {
  if (!server?.host || !server.port) return undefined;
  const { host, port, secure, starttls } = server;
  return { protocol, host, port, secure: secure ?? false, starttls: starttls ?? false };
}

const listAddresses = (user: DirectoryUser): string[] => [
  user.email,
  ...user.aliases.filter((alias) => alias.toLowerCase() !== user.email.toLowerCase()),
];
