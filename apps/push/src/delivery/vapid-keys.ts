import { ModuleDatabase } from '@groupware/persistence';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import webPush from 'web-push';
import { DeliveryConfig } from './delivery.config';

/** A pair of keys, base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const OWNER = 'installation';

/** The keys by which push services of browsers know this installation (RFC 8292). */
@Injectable()
export class VapidKeyStore {
  private known: Promise<VapidKeys> | undefined;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly secrets: SecretKeySettings,
    private readonly config: DeliveryConfig,
  ) {}

  /** The keys: those of the settings, else those that were made once. */
  keys(): Promise<VapidKeys> {
    return (this.known ??= this.load().catch((error: unknown) => {
      this.known = undefined;
      throw error;
    }));
  }

  /** Seals the private key again with the newest key; undefined when its key is gone. */
  resealPrivateKey(sealed: string): string | undefined {
    return this.createSeal().reseal(sealed, OWNER);
  }

  private createSeal(): SealedText {
    return new SealedText(this.secrets.secretKeys(), 'push-vapid');
  }

  private async load(): Promise<VapidKeys> {
    const privateKey = this.config.vapidPrivateKey.reveal();
    if (privateKey && this.config.vapidPublicKey) return { privateKey, publicKey: this.config.vapidPublicKey };
    const sealed = this.createSeal();
    const fresh = webPush.generateVAPIDKeys();
    const stored = await this.database.acrossContexts('the keys belong to the installation', async (db) => {
      await db.run(
        'insert into server_key (name, public_key, private_key) values ($1, $2, $3) on conflict do nothing',
        'vapid',
        fresh.publicKey,
        sealed.seal(fresh.privateKey, OWNER),
      );
      return db.first<VapidKeys>(
        'select public_key as "publicKey", private_key as "privateKey" from server_key where name = $1',
        'vapid',
      );
    });
    const opened = sealed.open(stored!.privateKey, OWNER);
    // eslint-disable-next-line groupware/no-stray-errors -- an unforeseen state: the key is lost
    if (opened === undefined) throw new Error('no key of GROUPWARE_SECRET_KEY opens the stored key of Web Push');
    return { publicKey: stored!.publicKey, privateKey: opened };
  }
}
