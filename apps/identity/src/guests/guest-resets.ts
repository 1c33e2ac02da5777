import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  outgoingMail,
  SHARE_GUEST_HOST,
  SHARE_RESET_LIFE,
  SHARE_RESETS_PER_ADDRESS,
  SHARE_RESETS_PER_SHARE,
  ShareErrors,
  type EdgeRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { BasePathSettings, clientNetwork, Clock, Logger } from '@groupware/service-kit';
import { SessionStore, type AttemptLimiter } from '@groupware/sessions';
import { Cascade } from '../configuration/cascade';
import { resolveLocale } from '../authentication/error-reply';
import { GuestAccess } from './guest-access';
import { GuestVault } from './guest-vault';

/** Time over which orders are counted, ms. */
const WINDOW_MS = 3_600_000;

/** Sends named guests who forgot their password the address by which they choose another. */
@Injectable()
export class GuestResets {
  private readonly log = Logger.for('identity.login');
  private readonly limiter: AttemptLimiter<'share' | 'address'>;

  constructor(
    private readonly access: GuestAccess,
    private readonly vault: GuestVault,
    private readonly caller: Caller,
    private readonly cascade: Cascade,
    private readonly base: BasePathSettings,
    private readonly clock: Clock,
    store: SessionStore,
  ) {
    this.limiter = store.attemptLimiter({
      name: 'guest-reset',
      limits: {
        share: { points: () => cascade.value(SHARE_RESETS_PER_SHARE), windowMs: WINDOW_MS },
        address: { points: () => cascade.value(SHARE_RESETS_PER_ADDRESS), windowMs: WINDOW_MS },
      },
    });
  }

  /**
   * Orders the mail for the guest of a share. Neither the outcome nor its time tells whether there is one: he is looked for later.
   * @throws SHR-0002 while no host is set for guests, SVL-0019
   */
  async orderMail(token: string, target: string | undefined, edge: EdgeRequest): Promise<void> {
    const host = this.cascade.value(SHARE_GUEST_HOST);
    // The host of the request is one that anybody may choose: in a mail it would lead the guest, and the token, there.
    if (!host) throw ShareErrors.notFound();
    const share = createHash('sha256').update(token).digest('base64url');
    await this.limiter.attempt({ share, address: clientNetwork(edge.remoteAddress) }, () => undefined);
    void this.sendMail(token, target, host, edge).catch((error: unknown) =>
      this.log.warn({ err: error }, 'the mail for a new password of a guest is not sent'),
    );
  }

  private async sendMail(token: string, target: string | undefined, host: string, edge: EdgeRequest): Promise<void> {
    const found = await this.access.findShare(token);
    // Others need no password, or choose their first one when they log in.
    if (!found?.guest.email || found.guest.passwordHash === null) return;
    const { contextId, guest } = found;
    const validMs = this.cascade.value(SHARE_RESET_LIFE);
    const confirm = this.vault.sealReset(contextId, guest, this.clock.now() + validMs);
    const query = new URLSearchParams({ share: token, ...(target ? { target } : {}), confirm });
    const path = `${this.base.basePaths()[0] ?? ''}/share/reset/password`;
    const { email: address, displayName: name } = found.guest as { email: string; displayName: string };
    await this.caller.call(outgoingMail.send, {
      principal: { kind: 'internal', service: 'identity', contextId },
      query: {
        key: `guest password ${randomUUID()}`,
        template: 'guestPassword',
        values: { sender: address, validMs, url: `${edge.secure ? 'https' : 'http'}://${host}${path}?${query}` },
        recipients: [{ address, name, locale: resolveLocale(edge) }],
      },
    });
    this.log.info({ contextId, userId: guest.id }, 'a guest is sent the address for a new password');
  }
}
