import type { Tenant } from '@groupware/contracts';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { createGrant, listServers, type GrantedPassword } from '../domain/password-grant';
import type { ServerSide } from '../domain/server-address';
import type { StoredAccount } from '../domain/stored-account';

/** Owner of an account. */
export interface AccountOwner extends Tenant {
  readonly userId: number;
}

/** Location of a password: account and side. */
export interface PasswordPlace extends AccountOwner {
  readonly id: number;
  readonly side: ServerSide;
}

/** Prefix of values with granted servers. */
const WITH_SERVERS = 'servers:';

/**
 * Encrypts stored passwords of mail accounts: AES-256-GCM, bound to their row, so that a copied value does not open
 * elsewhere, and together with their granted servers, so that a changed row does not redirect them.
 */
@Injectable()
export class PasswordVault {
  private readonly texts: SealedText;

  constructor(keys: SecretKeySettings) {
    this.texts = new SealedText(keys.secretKeys(), 'mail-account-password');
  }

  /** Seals a password for storage. */
  sealPassword({ password, servers }: GrantedPassword, place: PasswordPlace): string {
    return WITH_SERVERS + this.texts.seal(JSON.stringify({ password, servers }), `${toSealOwner(place)}/servers`);
  }

  /** Unseals a password with its servers; undefined without one, when its key is gone or it belongs to another row. */
  unsealPassword(
    { contextId, userId }: AccountOwner,
    account: StoredAccount,
    side: ServerSide,
  ): GrantedPassword | undefined {
    const sealed = side === 'mail' ? account.password : account.transport_password;
    if (!sealed) return undefined;
    const place = { contextId, userId, id: account.id, side };
    if (sealed.startsWith(WITH_SERVERS)) {
      const text = this.texts.open(sealed.slice(WITH_SERVERS.length), `${toSealOwner(place)}/servers`);
      return text === undefined ? undefined : (JSON.parse(text) as GrantedPassword);
    }
    const password = this.texts.open(sealed, toSealOwner(place));
    // Values of older versions hold no servers: they are granted for those of their row.
    const servers = listServers(account, side).map((server) => createGrant(server));
    return password === undefined ? undefined : { password, servers };
  }

  /** Seals a password again with the newest key and format: the same value where it is; undefined when its key is gone. */
  resealPassword(owner: AccountOwner, account: StoredAccount, side: ServerSide): string | undefined {
    const sealed = side === 'mail' ? account.password : account.transport_password;
    const granted = this.unsealPassword(owner, account, side);
    if (!sealed || !granted) return undefined;
    const isCurrent = sealed.startsWith(WITH_SERVERS) && this.texts.isCurrent(sealed.slice(WITH_SERVERS.length));
    return isCurrent ? sealed : this.sealPassword(granted, { ...owner, id: account.id, side });
  }
}

const toSealOwner = ({ contextId, userId, id, side }: PasswordPlace): string => `${contextId}/${userId}/${id}/${side}`;
