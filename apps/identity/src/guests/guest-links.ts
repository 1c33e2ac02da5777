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
  type GuestToken,
  type InvitedGuest,
  type NewGuestLink,
  type Tenant,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Passwords } from '../domain/passwords';
import { Cascade } from '../login/cascade';
import { ContextRepository } from '../persistence/context.repository';
import { PropertyRepository } from '../persistence/property.repository';
import { AfterChange } from '../provisioning/after-change';
import { GuestRepository, type Guest } from './guest.repository';
import { GuestVault } from './guest-vault';

/** Makes, changes and removes guests for the modules that share. */
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
    private readonly after: AfterChange,
    private readonly clock: Clock,
  ) {}

  /** The link to a folder. */
  async find(tenant: Tenant, target: { module: string; folder: number }): Promise<GuestLink | null> {
    const guest = await this.database.read(tenant, (db) => this.guests.ofTarget(db, target));
    return guest ? this.linkOf(tenant, guest) : null;
  }

  /** Makes the link of a folder, or answers the one that was made meanwhile. @throws QUOTA-0003 */
  async create(tenant: Tenant, userId: number, wanted: NewGuestLink): Promise<GuestLink> {
    const passwordHash = wanted.password == null ? null : await this.passwords.hash(wanted.password);
    const random = randomBytes(16).toString('hex');
    const { contextId } = tenant;
    const guest = await this.database.transact(tenant, async (tx) => {
      // Others who make a link wait here, so there is one per folder and the limit holds.
      await this.contexts.lock(tx);
      const known = await this.guests.ofTarget(tx, wanted);
      if (known) return known;
      const limit = this.cascade.value(SHARE_LINK_QUOTA, await this.properties.effective(tx, userId));
      const used = await this.guests.countOf(tx, userId, 'links');
      if (limit >= 0 && used >= limit) throw QuotaErrors.exceeded('share_links', used, limit);
      const id = await this.contexts.takeEntityId(tx);
      const token = this.vault.close(contextId, id, shareToken({ contextId, guestId: id }, random));
      const { module, folder } = wanted;
      const facts = { id, module, folder, email: null, displayName: ANONYMOUS, createdBy: userId, token, passwordHash };
      await this.guests.insert(tx, { ...facts, expiresAt: wanted.expires ?? null }, this.clock.now());
      return (await this.guests.find(tx, id))!;
    });
    return this.linkOf(tenant, guest);
  }

  /** The guest of a user for an address. @throws SHR-0005, QUOTA-0003 */
  async invite(
    tenant: Tenant,
    userId: number,
    { email: address, displayName }: GuestInvitation,
  ): Promise<InvitedGuest> {
    const email = address.trim().toLowerCase();
    if (!MAIL_ADDRESS.test(email)) throw ShareErrors.badAddress(address);
    const { contextId } = tenant;
    const random = randomBytes(16).toString('hex');
    return this.database.transact(tenant, async (tx) => {
      await this.contexts.lock(tx);
      const known = await this.guests.ofAddress(tx, userId, email);
      if (known) {
        await this.guests.expect(tx, known.id, this.clock.now());
        return { id: known.id, isNew: false };
      }
      const limit = this.cascade.value(SHARE_GUEST_QUOTA, await this.properties.effective(tx, userId));
      const used = await this.guests.countOf(tx, userId, 'named');
      if (limit >= 0 && used >= limit) throw QuotaErrors.exceeded('invite_guests', used, limit);
      const id = await this.contexts.takeEntityId(tx);
      const token = this.vault.close(contextId, id, shareToken({ contextId, guestId: id }, random));
      const facts = { id, module: null, folder: null, email, displayName: displayName?.trim() || email };
      await this.guests.insert(
        tx,
        { ...facts, createdBy: userId, token, passwordHash: null, expiresAt: null },
        this.clock.now(),
      );
      return { id, isNew: true };
    });
  }

  /** Tokens of links, and of the guests that a user invited. */
  async tokens(tenant: Tenant, userId: number, ids: readonly number[]): Promise<GuestToken[]> {
    const found = await this.database.read(tenant, (db) => this.guests.byIds(db, ids));
    return found
      .filter(({ email, createdBy }) => email === null || createdBy === userId)
      .map((guest) => ({ id: guest.id, token: this.vault.open(tenant.contextId, guest) }));
  }

  /**
   * Changes a link. Who came by it must come again where pin or end are given: by the pin it has now, until the end it has
   * now.
   */
  async change(tenant: Tenant, { id, password, expires, meta }: GuestLinkChange): Promise<GuestLink | null> {
    const passwordHash = typeof password === 'string' ? await this.passwords.hash(password) : password;
    const guest = await this.database.transact(tenant, (tx) =>
      this.guests.change(tx, id, { passwordHash, expiresAt: expires, meta }, this.clock.now()),
    );
    if (!guest) return null;
    if (password !== undefined || expires !== undefined) await this.after.userClosed(tenant.contextId, id);
    return this.linkOf(tenant, guest);
  }

  /** The rights of guests are written. */
  async settle(tenant: Tenant, ids: readonly number[]): Promise<void> {
    await this.database.transact(tenant, (tx) => this.guests.settle(tx, ids, this.clock.now()));
  }

  /** Removes guests and ends their sessions. */
  async remove(tenant: Tenant, ids: readonly number[]): Promise<void> {
    const gone = await this.database.transact(tenant, (tx) => this.guests.remove(tx, ids));
    for (const id of gone) await this.after.userClosed(tenant.contextId, id);
  }

  private linkOf({ contextId }: Tenant, guest: Guest): GuestLink {
    return {
      id: guest.id,
      token: this.vault.open(contextId, guest),
      hasPassword: guest.passwordHash !== null,
      expires: guest.expiresAt,
      changed: guest.changedAt,
      meta: guest.meta,
    };
  }
}

/** Name of guests whom nobody knows. */
const ANONYMOUS = 'Guest';
