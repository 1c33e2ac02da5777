import { Injectable } from '@nestjs/common';
import { STORE_CREDENTIALS, storeOwner } from '@groupware/file-store';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';

/** Seals credentials of file stores, each for its own store; every process that opens stores can open them. */
@Injectable()
export class FilestoreVault {
  private readonly sealed: SealedText;

  constructor(keys: SecretKeySettings) {
    this.sealed = new SealedText(keys.secretKeys(), STORE_CREDENTIALS);
  }

  /** The sealed form of `key:secret`. */
  seal(storeId: number, credentials: string): string {
    return this.sealed.seal(credentials, storeOwner(storeId));
  }
}
