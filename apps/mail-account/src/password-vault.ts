import type { Tenant } from '@groupware/contracts';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { grantFor, serversOf, type GrantedPassword } from './domain/password-grant';
import type { ServerSide } from './domain/server-address';
import type { StoredAccount } from './domain/stored-account';

/** Whose account it is. */
export interface AccountOwner extends Tenant {
  readonly userId: number;
}

/** Which password of which account. */
export interface PasswordPlace extends AccountOwner {
  readonly id: number;
  readonly side: ServerSide;
}

/** Marks values that hold the servers beside the password. */
const WITH_SERVERS = 'servers:';

/**
 * Passwords of mail accounts at rest: AES-256-GCM, bound to their row, so that a copied value does not open elsewhere, and
 * together with the servers they were given for, so that a changed row does not lead them elsewhere.
 */
@Injectable()
export class PasswordVault {
  private readonly texts: SealedText;

  constructor(keys: SecretKeySettings) {
    this.texts = new SealedText(keys.secretKeys(), 'mail-account-password');
  }

  /** The form to store. */
  seal({ password, servers }: GrantedPassword, place: PasswordPlace): string {
    return WITH_SERVERS + this.texts.seal(JSON.stringify({ password, servers }), `${ownerOf(place)}/servers`);
  }

  /** The password of an account with its servers; undefined when there is none, its key is gone or it belongs elsewhere. */
  open({ contextId, userId }: AccountOwner, account: StoredAccount, side: ServerSide): GrantedPassword | undefined {
    const sealed = side === 'mail' ? account.password : account.transport_password;
    if (!sealed) return undefined;
    const place = { contextId, userId, id: account.id, side };
    if (sealed.startsWith(WITH_SERVERS)) {
      const text = this.texts.open(sealed.slice(WITH_SERVERS.length), `${ownerOf(place)}/servers`);
      return text === undefined ? undefined : (JSON.parse(text) as GrantedPassword);
    }
    const password = this.texts.open(sealed, ownerOf(place));
    // Values of older versions hold no servers: they were given for those of their row.
    const servers = serversOf(account, side).map((server) => grantFor(server));
    return password === undefined ? undefined : { password, servers };
  }

  /** True when the newest key sealed it, in the newest form. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(WITH_SERVERS) && this.texts.isCurrent(sealed.slice(WITH_SERVERS.length));
  }
}

const ownerOf = ({ contextId, userId, id, side }: PasswordPlace): string => `${contextId}/${userId}/${id}/${side}`;
