import { Injectable } from '@nestjs/common';
import { STORE_CREDENTIALS, storeOwner } from '@groupware/file-store';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';

/** Seals credentials of file stores, bound to their store; processes that open stores unseal them. */
@Injectable()
export class FilestoreVault {
  private readonly sealed: SealedText;

  constructor(keys: SecretKeySettings) {
    this.sealed = new SealedText(keys.secretKeys(), STORE_CREDENTIALS);
  }

  /** Seals `key:secret`. */
  sealCredentials(storeId: number, credentials: string): string {
    return this.sealed.seal(credentials, storeOwner(storeId));
  }

  /** Seals credentials again with the newest key; undefined when their key is gone. */
  resealCredentials(storeId: number, sealed: string): string | undefined {
    return this.sealed.reseal(sealed, storeOwner(storeId));
  }
}
