import { pns, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { VapidKeyStore } from '../delivery/vapid-keys';

/** `webPushKey`: what a browser needs to subscribe. */
@Handles(pns.webPushKey)
export class WebPushKeyHandler implements Handler<typeof pns.webPushKey> {
  constructor(private readonly keys: VapidKeyStore) {}

  async handle() {
    const { publicKey } = await this.keys.keys();
    return { key: publicKey };
  }
}
