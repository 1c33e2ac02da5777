import type { UserPrincipal } from '@groupware/contracts';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';

/** Seals passwords of one user, and opens them. */
export interface PasswordSeal {
  readonly seal: (password: string) => string;
  /** Undefined for what was sealed for another user or with a key that is gone, and for what is no sealed password. */
  readonly open: (sealed: string) => string | undefined;
}

/** Seals passwords of links that drafts keep, for the user who wrote them: a mailbox is read by other programs, and by others. */
@Injectable()
export class DraftPasswords {
  private readonly texts: SealedText;

  constructor(keys: SecretKeySettings) {
    this.texts = new SealedText(keys.secretKeys(), 'draft-link-password');
  }

  /** The seal of a user. */
  sealOf({ contextId, userId }: Pick<UserPrincipal, 'contextId' | 'userId'>): PasswordSeal {
    const owner = `${contextId}/${userId}`;
    return {
      seal: (password) => this.texts.seal(password, owner),
      open: (sealed) => this.texts.open(sealed, owner),
    };
  }
}
