import { Injectable } from '@nestjs/common';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type * as client from 'openid-client';
import type { AccountRow } from '../persistence/account.repository';
import type { ServiceUser } from './oauth-services';

/** Tokens and identity that an account has of its service. */
export interface AccountTokens {
  /** Identity of the account there. */
  readonly identity: string;
  readonly access: string;
  readonly refresh?: string;
  /** End of the access token, ms UTC; absent where the service does not say. */
  readonly expiresAt?: number;
}

/** Seals tokens, bound to their account: a value moved elsewhere does not open. */
@Injectable()
export class TokenVault {
  private readonly texts: SealedText;

  constructor(keys: SecretKeySettings) {
    this.texts = new SealedText(keys.secretKeys(), 'oauth-account');
  }

  /** The sealed form. */
  sealTokens(user: ServiceUser, id: number, tokens: AccountTokens): string {
    return this.texts.seal(JSON.stringify(tokens), toSealOwner(user, id));
  }

  /** Unseals tokens; undefined when their key is gone or they were moved from another row. */
  unsealTokens(user: ServiceUser, { id, sealed }: Pick<AccountRow, 'id' | 'sealed'>): AccountTokens | undefined {
    const text = this.texts.open(sealed, toSealOwner(user, id));
    return text === undefined ? undefined : (JSON.parse(text) as AccountTokens);
  }

  /** Seals tokens again with the newest key; undefined when their key is gone. */
  resealTokens(user: ServiceUser, { id, sealed }: Pick<AccountRow, 'id' | 'sealed'>): string | undefined {
    return this.texts.reseal(sealed, toSealOwner(user, id));
  }
}

const toSealOwner = ({ contextId, userId }: ServiceUser, id: number): string => `${contextId}/${userId}/${id}`;

/** Maps the answer of a token endpoint to what is kept. @param former refresh token, where the answer brings no other */
export function toAccountTokens(
  answer: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
  identity: string,
  now: number,
  former?: string,
): AccountTokens {
  const seconds = answer.expiresIn();
  const refresh = answer.refresh_token ?? former;
  return {
    identity,
    access: answer.access_token,
    ...(refresh === undefined ? {} : { refresh }),
    ...(seconds === undefined ? {} : { expiresAt: now + seconds * 1000 }),
  };
}
