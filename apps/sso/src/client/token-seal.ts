import { OAUTH_TOKEN_PURPOSE, toOAuthTokenOwner } from '@groupware/contracts';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import type { ServiceUser } from './oauth-services';

/** Seals access tokens for the way between services. */
@Injectable()
export class TokenSeal {
  private readonly texts: SealedText;

  constructor(keys: SecretKeySettings) {
    this.texts = new SealedText(keys.secretKeys(), OAUTH_TOKEN_PURPOSE);
  }

  /** The sealed form. @param id account; SESSION_TOKEN_ID for the token of the session */
  seal(user: ServiceUser, id: number, token: string): string {
    return this.texts.seal(token, toOAuthTokenOwner(user, id));
  }

  /** A token that comes back; undefined when it is none of this owner. */
  open(user: ServiceUser, id: number, sealed: string | undefined): string | undefined {
    return sealed === undefined ? undefined : this.texts.open(sealed, toOAuthTokenOwner(user, id));
  }
}
