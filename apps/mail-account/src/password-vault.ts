import type { Tenant } from '@groupware/contracts';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';

/** Which password of which account. */
export interface PasswordPlace extends Tenant {
  readonly userId: number;
  readonly id: number;
  readonly side: 'mail' | 'transport';
}

/** Passwords of mail accounts at rest: AES-256-GCM, bound to their row, so that a copied value does not open elsewhere. */
@Injectable()
export class PasswordVault {
  private readonly texts: SealedText;

  constructor(keys: SecretKeySettings) {
    this.texts = new SealedText(keys.secretKeys(), 'mail-account-password');
  }

  /** The form to store. */
  seal(password: string, place: PasswordPlace): string {
    return this.texts.seal(password, ownerOf(place));
  }

  /** The password; undefined when the key is gone or the value belongs elsewhere. */
  open(sealed: string, place: PasswordPlace): string | undefined {
    return this.texts.open(sealed, ownerOf(place));
  }

  /** True when the newest key sealed it. */
  isCurrent(sealed: string): boolean {
    return this.texts.isCurrent(sealed);
  }
}

const ownerOf = ({ contextId, userId, id, side }: PasswordPlace): string => `${contextId}/${userId}/${id}/${side}`;
