import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';

/** Tokens of subscriptions hold secrets of clients: they are stored sealed, each for its user. */
@Injectable()
export class TokenVault {
  private readonly sealed: SealedText;

  constructor(keys: SecretKeySettings) {
    this.sealed = new SealedText(keys.secretKeys(), 'push-token');
  }

  /** The stored form of a token. */
  seal(token: string, contextId: number, userId: number): string {
    return this.sealed.seal(token, `${contextId}:${userId}`);
  }

  /** The token; undefined when no key of today opens it. */
  open(sealed: string, contextId: number, userId: number): string | undefined {
    return this.sealed.open(sealed, `${contextId}:${userId}`);
  }

  /** Seals a token again with the newest key; undefined when its key is gone. */
  reseal(sealed: string, contextId: number, userId: number): string | undefined {
    return this.sealed.reseal(sealed, `${contextId}:${userId}`);
  }
}
