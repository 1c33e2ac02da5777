import { Injectable } from '@nestjs/common';
import { contactEvents, type ContactChange, type EventType } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import type { Contact, StoredMember } from '../domain/contact';
import { changesMembers } from '../domain/list-members';
import { ContactRepository, type TouchedList } from '../persistence/contact.repository';
import { HiddenContactRepository } from '../persistence/hidden-contact.repository';
import { ContactQuota } from './contact-quota';

/** A contact that is about to exist; the writer gives id, stamps and creator. */
export interface NewContact {
  readonly contact: Omit<Contact, 'id' | 'created' | 'lastModified' | 'createdBy' | 'modifiedBy'>;
  /** Members, of a distribution list. */
  readonly members?: readonly StoredMember[];
}

/** A contact before and after a change. */
export interface ChangedContact {
  readonly before: Contact;
  readonly after: Contact;
  /** Other members of the list than before. */
  readonly members?: readonly StoredMember[];
  /** Users who may read the contact as it is now: their lists follow it. Absent: all users. */
  readonly followers?: readonly number[];
}

/** Contacts that users store have odd ids; even ones belong to users (`contactIdOfUser`). */
const toContactId = (number: number): number => 2 * number + 1;

/** Writes contacts with their stamps, tombstones and events, and lets distribution lists follow. */
@Injectable()
export class ContactWriter {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly hidden: HiddenContactRepository,
    private readonly quota: ContactQuota,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores new contacts.
   * @param limit most contacts of the context, as {@link ContactQuota} knows it
   * @throws QUOTA-0003
   */
  async create(
    tx: Transaction,
    userId: number,
    created: readonly NewContact[],
    limit: number,
  ): Promise<{ readonly stamp: number; readonly ids: readonly number[] }> {
    const { stamp, id } = await this.contacts.nextStamp(tx, this.clock.now(), created.length);
    const stored = created.map(({ contact }, index) => ({
      ...contact,
      id: toContactId(id + index),
      createdBy: userId,
      modifiedBy: userId,
      created: stamp,
      lastModified: stamp,
    }));
    this.contacts.insert(tx, stored);
    for (const [index, { members }] of created.entries())
      if (members) this.contacts.replaceMembers(tx, stored[index]!.id, members);
    for (const contact of stored) await this.publish(tx, contactEvents['contact.created'], contact, userId, stamp);
    await this.quota.requireRoomFor(tx, stored.length, limit);
    return { stamp, ids: stored.map(({ id: created }) => created) };
  }

  /** Stores the contact of a user, which has its id already. */
  async createForUser(tx: Transaction, contact: Contact): Promise<void> {
    const { stamp } = await this.contacts.nextStamp(tx, this.clock.now(), 0);
    this.contacts.insert(tx, [{ ...contact, created: stamp, lastModified: stamp }]);
    this.contacts.removeTombstones(tx, contact.folderId, [contact.id]);
    await this.publish(tx, contactEvents['contact.created'], contact, contact.createdBy, stamp);
  }

  /** Stores a change; returns its stamp. */
  async update(
    tx: Transaction,
    userId: number,
    { before, after, members, followers }: ChangedContact,
  ): Promise<number> {
    const { stamp } = await this.contacts.nextStamp(tx, this.clock.now(), 0);
    this.contacts.update(tx, [{ ...after, modifiedBy: userId, lastModified: stamp }]);
    if (members) this.contacts.replaceMembers(tx, after.id, members);
    if (before.folderId !== after.folderId) {
      this.contacts.insertTombstones(tx, [before], stamp);
      this.contacts.removeTombstones(tx, after.folderId, [after.id]);
    }
    // A contact that is private when it comes was never seen in the folder.
    if (!after.isPrivate) this.hidden.remove(tx, after);
    else if (!before.isPrivate && before.folderId === after.folderId) this.hidden.insert(tx, after, stamp);
    await this.publish(tx, contactEvents['contact.changed'], after, userId, stamp, before.folderId);
    if (changesMembers(before, after)) {
      const lists = await this.contacts.updateMembersOf(tx, after.id, followers, userId, stamp);
      await this.tellOfLists(tx, lists, userId, stamp);
    }
    return stamp;
  }

  /** Deletes contacts; returns the stamp of the deletion. */
  async remove(tx: Transaction, userId: number, removed: readonly Contact[]): Promise<number> {
    const { stamp } = await this.contacts.nextStamp(tx, this.clock.now(), 0);
    const ids = removed.map(({ id }) => id);
    const lists = await this.contacts.detachMembersOf(tx, ids, userId, stamp);
    this.contacts.remove(tx, removed, stamp);
    for (const contact of removed) await this.publish(tx, contactEvents['contact.deleted'], contact, userId, stamp);
    await this.tellOfLists(tx, lists, userId, stamp);
    return stamp;
  }

  private async tellOfLists(
    tx: Transaction,
    lists: readonly TouchedList[],
    userId: number,
    stamp: number,
  ): Promise<void> {
    for (const list of lists) await this.publish(tx, contactEvents['contact.changed'], list, userId, stamp);
  }

  private publish(
    tx: Transaction,
    event: EventType<ContactChange>,
    { id, folderId, uid }: TouchedList,
    by: number,
    stamp: number,
    leftFolderId = folderId,
  ): Promise<void> {
    return tx.publish(event, { id, folderId, uid, by, stamp, ...(leftFolderId !== folderId && { leftFolderId }) });
  }
}
