import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type AddedPerson,
  CONTACT_RIGHTS,
  CatalogueError,
  COLLECT_ADDRESSES,
  COLLECT_ON_READING,
  COLLECT_ON_SENDING,
  contactIdOfUser,
  type Property,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, toUserPrincipal } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { toReadable } from '@groupware/folders';
import { ContactQuota } from '../contacts/contact-quota';
import { ContactWriter, type NewContact } from '../contacts/contact-writer';
import { EMPTY_CONTACT, toStoredText } from '../domain/contact-input';
import { FolderAccess } from '../folders/folder-access';
import { CollectingFolder } from './collecting-folder';
import { ContactUseRepository } from './contact-use.repository';

/** Source of addresses: a mail to them, one that the user read, or an object in which they take part. */
export type AddressSource = 'sending' | 'reading' | 'participation';

/** Properties that have to be on beside the one for all sources. */
const SWITCHES: Readonly<Record<AddressSource, Property<boolean> | undefined>> = {
  sending: COLLECT_ON_SENDING,
  reading: COLLECT_ON_READING,
  participation: undefined,
};

/** Facts about addresses that have to be known before a transaction. */
export interface AddressUse {
  readonly user: UserPrincipal;
  /** People by the address that was used, lower case. */
  readonly recipients: ReadonlyMap<string, AddedPerson>;
  /** Users that have one of the addresses, by the address. */
  readonly users: ReadonlyMap<string, number>;
  /** Whether addresses that no contact has are stored. */
  readonly collects: boolean;
  /** Whether the contacts count as used. */
  readonly counts: boolean;
  /** Most contacts of the context, below zero without limit. */
  readonly limit: number;
}

/** Counts how often users use addresses, and collects those that no contact has. */
@Injectable()
export class AddressCollector {
  constructor(
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly quota: ContactQuota,
    private readonly access: FolderAccess,
    private readonly uses: ContactUseRepository,
    private readonly folder: CollectingFolder,
    private readonly writer: ContactWriter,
  ) {}

  /** Asks what is needed of other services; undefined where the user is gone or has no contacts. */
  async prepare(
    { contextId }: Tenant,
    userId: number,
    recipients: readonly AddedPerson[],
    from: AddressSource,
  ): Promise<AddressUse | undefined> {
    const found = (await this.directory.getEntities({ contextId }, [userId])).get(userId);
    if (found?.kind !== 'user' || !found.capabilities.includes('contacts')) return undefined;
    const user = toUserPrincipal(contextId, found);
    const byAddress = new Map(recipients.map((recipient) => [toKey(recipient.address), recipient]));
    const [isOn, fromHere, limit, entities] = await Promise.all([
      this.properties.get(COLLECT_ADDRESSES, user),
      SWITCHES[from] === undefined || this.properties.get(SWITCHES[from], user),
      this.quota.getLimit(user),
      this.directory.findByAddresses({ contextId }, byAddress.keys()),
    ]);
    const users = [...entities].flatMap(([address, { kind, id }]) => (kind === 'user' ? [[address, id] as const] : []));
    const counts = from !== 'reading';
    return { user, recipients: byAddress, users: new Map(users), collects: isOn && fromHere, counts, limit };
  }

  /** Counts the use of the contacts with the addresses, and stores the addresses that no contact and no user has. */
  async store(tx: Transaction, { user, recipients, users, collects, counts, limit }: AddressUse): Promise<void> {
    await this.uses.lockUser(tx, user.userId);
    const readable = toReadable(CONTACT_RIGHTS.read, await this.access.listVisible(tx, user), user);
    const known = await this.uses.listByAddresses(tx, user.userId, readable, [...recipients.keys()]);
    const ids = new Set([...known.map(({ id }) => id), ...[...users.values()].map(contactIdOfUser)]);
    const addresses = new Set([...known.flatMap((contact) => contact.addresses), ...users.keys()]);
    const unknown = [...recipients].flatMap(([key, recipient]) => (addresses.has(key) ? [] : [recipient]));
    const stored = collects ? await this.collect(tx, user, unknown, limit) : [];
    if (counts) this.uses.countUse(tx, user.userId, [...ids, ...stored]);
  }

  private async collect(
    tx: Transaction,
    user: UserPrincipal,
    recipients: readonly AddedPerson[],
    limit: number,
  ): Promise<readonly number[]> {
    const used = await this.quota.countUsed(tx, limit);
    const contents = recipients.flatMap((recipient) => toContent(recipient) ?? []);
    const fitting = used === undefined ? contents : contents.slice(0, Math.max(0, limit - used));
    if (fitting.length === 0) return [];
    const folderId = await this.folder.ensure(tx, user);
    const created = fitting.map((content): NewContact => ({
      contact: { ...EMPTY_CONTACT, ...content, folderId, uid: randomUUID() },
    }));
    return (await this.writer.create(tx, user.userId, created, limit)).ids;
  }
}

const toKey = (address: string): string => address.trim().toLowerCase();

/** Content of a collected contact; undefined for an address that no contact can have. */
function toContent({ address, name }: AddedPerson) {
  try {
    const email1 = toStoredText('email1', address.trim());
    if (!email1?.includes('@')) return undefined;
    const display_name = toStoredText('display_name', name) ?? email1;
    return { email1, display_name, file_as: display_name };
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}
