import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  MAIL_ADDRESS,
  QuotaErrors,
  SHARE_GUEST_QUOTA,
  SHARE_LINK_QUOTA,
  ShareErrors,
  shareToken,
  type GuestInvitation,
  type GuestLink,
  type GuestLinkChange,
  type GuestTarget,
  type GuestToken,
  type InvitedGuest,
  type NewGuestLink,
  type Tenant,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Passwords } from '../domain/passwords';
import { Cascade } from '../configuration/cascade';
import { ContextRepository } from '../persistence/context.repository';
import { PropertyRepository } from '../configuration/property.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GuestRepository, type Guest, type StoredPin } from '../persistence/guest.repository';
import { GuestVault } from './guest-vault';

/** Creates, updates and removes guests for the sharing modules. */
@Injectable()
export class GuestLinks {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly guests: GuestRepository,
    private readonly contexts: ContextRepository,
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
    private readonly passwords: Passwords,
    private readonly vault: GuestVault,
    private readonly notifier: ChangeNotifier,
    private readonly clock: Clock,
  ) {}

  /** Finds the link of a folder or object. */
  async findLink(tenant: Tenant, target: GuestTarget): Promise<GuestLink | null> {
    const guest = await this.database.read(tenant, (db) => this.guests.findByTarget(db, target));
    return guest ? this.toLink(tenant, guest) : null;
  }

  /** Creates the link of a folder or object, or answers one created concurrently. @throws QUOTA-0003 */
  async createLink(tenant: Tenant, userId: number, wanted: NewGuestLink): Promise<GuestLink> {
    const { contextId } = tenant;
    const sealPin = await this.preparePin(contextId, wanted.password ?? null);
    const random = randomBytes(16).toString('hex');
    const guest = await this.database.transact(tenant, async (tx) => {
      // Serializes creations, so there is one link per target and the limit holds.
      await this.contexts.lock(tx);
      const known = await this.guests.findByTarget(tx, wanted);
      if (known) return known;
      const limit = this.cascade.value(SHARE_LINK_QUOTA, await this.properties.getEffective(tx, userId));
      const used = await this.guests.countByCreator(tx, userId, 'links');
      if (limit >= 0 && used >= limit) throw QuotaErrors.exceeded('share_links', used, limit);
      const id = await this.contexts.allocateEntityId(tx);
      const token = this.vault.sealToken(contextId, id, shareToken({ contextId, guestId: id }, random));
      const { module, folder = null, item = null } = wanted;
      const place = { module, folder, item };
      const facts = { id, email: null, displayName: '', createdBy: userId, token, ...sealPin(id) };
      await this.guests.insert(tx, { ...place, ...facts, expiresAt: wanted.expires ?? null }, this.clock.now());
      return (await this.guests.findById(tx, id))!;
    });
    return this.toLink(tenant, guest);
  }

  /** Finds or creates the guest a user invites by an address. @throws SHR-0005, QUOTA-0003 */
  async inviteGuest(
    tenant: Tenant,
    userId: number,
    { email: address, displayName, contact }: GuestInvitation,
  ): Promise<InvitedGuest> {
    const email = address.trim().toLowerCase();
    if (!MAIL_ADDRESS.test(email)) throw ShareErrors.badAddress(address);
    const { contextId } = tenant;
    const random = randomBytes(16).toString('hex');
    const guest = await this.database.transact(tenant, async (tx) => {
      await this.contexts.lock(tx);
      const known = await this.guests.findByAddress(tx, userId, email);
      if (known) {
        await this.guests.markPending(tx, known.id, this.clock.now());
        if (contact) await this.guests.setContact(tx, known.id, contact);
        return { id: known.id, isNew: false };
      }
      const limit = this.cascade.value(SHARE_GUEST_QUOTA, await this.properties.getEffective(tx, userId));
      const used = await this.guests.countByCreator(tx, userId, 'named');
      if (limit >= 0 && used >= limit) throw QuotaErrors.exceeded('invite_guests', used, limit);
      const id = await this.contexts.allocateEntityId(tx);
      const token = this.vault.sealToken(contextId, id, shareToken({ contextId, guestId: id }, random));
      const facts = { id, module: null, folder: null, item: null, email, displayName: displayName?.trim() || email };
      await this.guests.insert(
        tx,
        { ...facts, createdBy: userId, token, passwordHash: null, sealedPin: null, expiresAt: null },
        this.clock.now(),
      );
      if (contact) await this.guests.setContact(tx, id, contact);
      return { id, isNew: true };
    });
    if (contact && !guest.isNew) this.notifier.notifyEntitiesChanged(contextId, [guest.id]);
    return guest;
  }

  /** Lists tokens of links, and of the guests that a user invited. */
  async listTokens(tenant: Tenant, userId: number, ids: readonly number[]): Promise<GuestToken[]> {
    const found = await this.database.read(tenant, (db) => this.guests.listByIds(db, ids));
    return found
      .filter(({ email, createdBy }) => email === null || createdBy === userId)
      .map((guest) => ({
        id: guest.id,
        token: this.vault.unsealToken(tenant.contextId, guest),
        email: guest.email,
        displayName: guest.displayName,
        ...this.toPassword(tenant, guest),
      }));
  }

  /** Changes a link. A new pin or expiry ends its sessions: guests log in again under the new conditions. */
  async updateLink(
    tenant: Tenant,
    { id, password, expires, meta, includesBelow, known }: GuestLinkChange,
  ): Promise<GuestLink | null> {
    const sealPin = password == null ? undefined : await this.preparePin(tenant.contextId, password);
    const pin = password === null ? null : sealPin?.(id);
    const guest = await this.database.transact(tenant, (tx) =>
      this.guests.update(tx, id, { pin, expiresAt: expires, meta, includesBelow }, this.clock.now(), known),
    );
    if (!guest) return null;
    if (password !== undefined || expires !== undefined) await this.notifier.notifyUserClosed(tenant.contextId, id);
    return this.toLink(tenant, guest);
  }

  /** Marks the permissions of guests as written. */
  async settleGuests(tenant: Tenant, ids: readonly number[]): Promise<void> {
    await this.database.transact(tenant, (tx) => this.guests.clearPending(tx, ids, this.clock.now()));
  }

  /** Removes guests and ends their sessions. */
  async removeGuests(tenant: Tenant, ids: readonly number[]): Promise<void> {
    const gone = await this.database.transact(tenant, (tx) => this.guests.delete(tx, ids));
    for (const id of gone) await this.notifier.notifyUserClosed(tenant.contextId, id);
  }

  /** Hashes a pin, which takes a while, and answers what to store of it for a guest. */
  private async preparePin(contextId: number, pin: string | null): Promise<(id: number) => StoredPin> {
    if (pin === null) return () => ({ passwordHash: null, sealedPin: null });
    const passwordHash = await this.passwords.hash(pin);
    return (id) => ({ passwordHash, sealedPin: this.vault.sealPin(contextId, id, pin, passwordHash) });
  }

  /** The pin of a link, where it can be shown. */
  private toPassword({ contextId }: Tenant, guest: Guest): { readonly password?: string } {
    const password = this.vault.unsealPin(contextId, guest);
    return password === undefined ? {} : { password };
  }

  private toLink(tenant: Tenant, guest: Guest): GuestLink {
    return {
      id: guest.id,
      createdBy: guest.createdBy,
      token: this.vault.unsealToken(tenant.contextId, guest),
      ...this.toPassword(tenant, guest),
      expires: guest.expiresAt,
      changed: guest.changedAt,
      meta: guest.meta,
      includesBelow: guest.includesBelow,
    };
  }
}
