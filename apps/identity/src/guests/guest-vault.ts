import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type { Guest } from './guest.repository';

/** Seals the tokens of guests, each for its own row: links are shown again, but no dump of the database opens one. */
@Injectable()
export class GuestVault {
  private readonly seal: SealedText;

  constructor(keys: SecretKeySettings) {
    this.seal = new SealedText(keys.secretKeys(), 'share-token');
  }

  /** The sealed form of a token. */
  close(contextId: number, guestId: number, token: string): string {
    return this.seal.seal(token, `${contextId}/${guestId}`);
  }

  /** The token. @throws when it was sealed with a key that is gone, or moved here from another row */
  open(contextId: number, { id, token }: Pick<Guest, 'id' | 'token'>): string {
    const text = this.seal.open(token, `${contextId}/${id}`);
    if (text === undefined) throw new Error(`the token of guest ${id} does not open`);
    return text;
  }

  /** Whether a token is that of a guest. */
  isTokenOf(contextId: number, guest: Pick<Guest, 'id' | 'token'>, token: string): boolean {
    const [right, given] = [Buffer.from(this.open(contextId, guest)), Buffer.from(token.toLowerCase())];
    return right.length === given.length && timingSafeEqual(right, given);
  }
}
