import { Injectable } from '@nestjs/common';
import {
  isCatalogueError,
  mailboxAccess,
  RequestErrors,
  type OAuthAccountAssociation,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';

/** An object that depends on accounts elsewhere, with their ids. */
export interface Dependant {
  readonly accounts: readonly number[];
  readonly association: OAuthAccountAssociation;
}

/** Objects of a user that depend on accounts with services elsewhere: mail accounts that log in by them. */
@Injectable()
export class AccountDependants {
  constructor(private readonly caller: Caller) {}

  /** All of a user; none while the service of mail accounts is away. */
  async list(user: UserPrincipal): Promise<Dependant[]> {
    const principal = { kind: 'internal', service: 'sso', contextId: user.contextId, user } as const;
    try {
      const found = await this.caller.call(mailboxAccess.listOAuthAccounts, { principal });
      return found.map(({ id, name, oauthAccounts }) => ({
        accounts: oauthAccounts,
        association: { id: String(id), name, module: 'mail', folder: `default${id}`, scopes: ['mail'] },
      }));
    } catch (error) {
      if (isCatalogueError(error, RequestErrors.serviceUnavailable)) return [];
      throw error;
    }
  }
}
