import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type { Guest } from '../persistence/guest.repository';

/** Seals guest tokens, bound to their row: links can be shown again, but a database dump opens none. */
@Injectable()
export class GuestVault {
  private readonly seal: SealedText;

  constructor(keys: SecretKeySettings) {
    this.seal = new SealedText(keys.secretKeys(), 'share-token');
  }

  /** Seals a token. */
  sealToken(contextId: number, guestId: number, token: string): string {
    return this.seal.seal(token, `${contextId}/${guestId}`);
  }

  /** Unseals a token. @throws when its key is gone or it was moved from another row */
  unsealToken(contextId: number, { id, token }: Pick<Guest, 'id' | 'token'>): string {
    const text = this.seal.open(token, `${contextId}/${id}`);
    // eslint-disable-next-line groupware/no-stray-errors -- an unforeseen state: keys are lost or rows were moved
    if (text === undefined) throw new Error(`the token of guest ${id} does not open`);
    return text;
  }

  /** Seals a token again with the newest key; undefined when its key is gone. */
  resealToken(contextId: number, { id, token }: Pick<Guest, 'id' | 'token'>): string | undefined {
    return this.seal.reseal(token, `${contextId}/${id}`);
  }

  /** Whether a token is that of a guest. */
  isTokenOf(contextId: number, guest: Pick<Guest, 'id' | 'token'>, token: string): boolean {
    const [right, given] = [Buffer.from(this.unsealToken(contextId, guest)), Buffer.from(token)];
    return right.length === given.length && timingSafeEqual(right, given);
  }
}
