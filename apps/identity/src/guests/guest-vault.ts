import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type { Guest } from '../persistence/guest.repository';

/** Seals tokens of guests and pins of links, bound to their row: they can be shown again, but a database dump opens no link. */
@Injectable()
export class GuestVault {
  private readonly seal: SealedText;
  private readonly pins: SealedText;
  private readonly resets: SealedText;

  constructor(keys: SecretKeySettings) {
    this.seal = new SealedText(keys.secretKeys(), 'share-token');
    this.pins = new SealedText(keys.secretKeys(), 'share-pin');
    this.resets = new SealedText(keys.secretKeys(), 'share-reset');
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

  /** Seals a pin together with its hash. */
  sealPin(contextId: number, guestId: number, pin: string, hash: string): string {
    return this.pins.seal(pin, toPinOwner(contextId, guestId, hash));
  }

  /** Unseals the pin of a link; undefined without one, when its key is gone, and when the hash is that of another pin. */
  unsealPin(contextId: number, { id, sealedPin, passwordHash }: PinnedGuest): string | undefined {
    if (sealedPin === null || passwordHash === null) return undefined;
    return this.pins.open(sealedPin, toPinOwner(contextId, id, passwordHash));
  }

  /** Seals a pin again with the newest key; undefined when its key is gone. */
  resealPin(contextId: number, { id, sealedPin, passwordHash }: PinnedGuest): string | undefined {
    if (sealedPin === null || passwordHash === null) return undefined;
    return this.pins.reseal(sealedPin, toPinOwner(contextId, id, passwordHash));
  }

  /** Creates the token by which a guest chooses another password than the one that is stored now. @param end ms UTC */
  sealReset(contextId: number, { id, passwordHash }: ResettableGuest, end: number): string {
    return this.resets.seal(String(end), toPinOwner(contextId, id, passwordHash ?? ''));
  }

  /** Whether such a token is one of a guest, valid, and not used: another password has another hash. */
  isResetOf(contextId: number, { id, passwordHash }: ResettableGuest, token: string, now: number): boolean {
    if (passwordHash === null) return false;
    const end = this.resets.open(token, toPinOwner(contextId, id, passwordHash));
    return end !== undefined && now < Number(end);
  }

  /** Whether a token is that of a guest. */
  isTokenOf(contextId: number, guest: Pick<Guest, 'id' | 'token'>, token: string): boolean {
    const [right, given] = [Buffer.from(this.unsealToken(contextId, guest)), Buffer.from(token)];
    return right.length === given.length && timingSafeEqual(right, given);
  }
}

/** A guest with what opens his link. */
type PinnedGuest = Pick<Guest, 'id' | 'sealedPin' | 'passwordHash'>;

/** A guest with the hash of the password that is forgotten. */
type ResettableGuest = Pick<Guest, 'id' | 'passwordHash'>;

const toPinOwner = (contextId: number, guestId: number, hash: string): string => `${contextId}/${guestId}/${hash}`;
