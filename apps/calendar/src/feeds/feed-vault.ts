import { Injectable } from '@nestjs/common';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';

/** Address and login of a calendar of the web: all of it may be secret, the address included. */
export interface FeedAddress {
  readonly uri: string;
  readonly login?: string;
  readonly password?: string;
}

/** Seals addresses of calendars of the web, bound to their context and user: one moved elsewhere does not open. */
@Injectable()
export class FeedVault {
  private readonly seal: SealedText;

  constructor(keys: SecretKeySettings) {
    this.seal = new SealedText(keys.secretKeys(), 'calendar-feed');
  }

  /** The sealed form. */
  sealAddress(contextId: number, userId: number, { uri, login, password }: FeedAddress): string {
    return this.seal.seal(JSON.stringify({ uri, login, password }), `${contextId}/${userId}`);
  }

  /** The address; undefined when its key is gone. */
  unsealAddress(contextId: number, userId: number, sealed: string): FeedAddress | undefined {
    const text = this.seal.open(sealed, `${contextId}/${userId}`);
    return text === undefined ? undefined : (JSON.parse(text) as FeedAddress);
  }

  /** Seals an address again with the newest key; undefined when its key is gone. */
  resealAddress(contextId: number, userId: number, sealed: string): string | undefined {
    return this.seal.reseal(sealed, `${contextId}/${userId}`);
  }
}
