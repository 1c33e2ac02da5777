import { Injectable } from '@nestjs/common';
import {
  ContactErrors,
  contactIdOfUser,
  directory,
  SYSTEM_FOLDERS,
  type DirectoryPerson,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { ContactWriter } from '../contacts/contact-writer';
import { type Contact, TEXT_FIELDS } from '../domain/contact';
import { EMPTY_CONTACT } from '../domain/contact-input';
import { ContactRepository } from '../persistence/contact.repository';

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.normalize('NFC') : null;
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The contact of a user as it has to be. */
function toContact({ userId, uid, isAdmin, data, image }: DirectoryPerson): Contact {
  const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, text(data[name])]));
  return {
    ...EMPTY_CONTACT,
    ...texts,
    id: contactIdOfUser(userId),
    folderId: SYSTEM_FOLDERS.globalAddressBook,
    uid,
    userId,
    isAdmin,
    createdBy: userId,
    modifiedBy: userId,
    created: 0,
    lastModified: 0,
    birthday: number(data.birthday),
    anniversary: number(data.anniversary),
    categories: text(data.categories),
    color: number(data.color_label),
    defaultAddress: number(data.default_address),
    imageType: image?.contentType ?? null,
    imageChanged: image?.changedAt ?? null,
  };
}

const STAMPS = ['created', 'lastModified', 'modifiedBy', 'createdBy'] as const;

/** Whether two states of a contact say the same. */
function hasSameContent(before: Contact, after: Contact): boolean {
  const { imageChanged } = before;
  // A picture that was removed leaves the time when it was.
  const kept = after.imageType === null && before.imageType === null ? imageChanged : after.imageChanged;
  return (Object.keys(after) as (keyof Contact)[]).every(
    (key) =>
      STAMPS.some((stamp) => stamp === key) ||
      (key === 'imageChanged' ? kept : (after[key] ?? null)) === (before[key] ?? null),
  );
}

/** Keeps the contacts of users like what the identity service knows of them. Safe to run at the same time for the same user. */
@Injectable()
export class UserContacts {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly contacts: ContactRepository,
    private readonly writer: ContactWriter,
  ) {}

  /** Loads what the identity service knows of users; those that it does not know are left out. */
  loadPersons({ contextId }: Tenant, ids: readonly number[]): Promise<DirectoryPerson[]> {
    const principal = { kind: 'internal', service: 'contacts', contextId } as const;
    return this.caller.call(directory.persons, { principal, query: { ids: [...ids] } });
  }

  /** Loads users and stores their contacts. */
  async refresh(tenant: Tenant, ids: readonly number[]): Promise<void> {
    const persons = await this.loadPersons(tenant, ids);
    await this.database.transact(tenant, (tx) => this.store(tx, ids, persons));
  }

  /** Gives the contact of a user a new stamp and leaves it as it is; returns the stamp. @throws CON-0125 */
  touch(user: UserPrincipal, id: number): Promise<number> {
    return this.database.transact(user, async (tx) => {
      await this.contacts.lockUsers(tx);
      const [contact] = await this.contacts.lockByIds(tx, [id]);
      if (!contact) throw ContactErrors.notFound(id, user.contextId);
      return this.writer.update(tx, user.userId, { before: contact, after: contact });
    });
  }

  /** Stores the contacts of users; those of users that are not among the persons go. */
  async store(tx: Transaction, ids: readonly number[], persons: readonly DirectoryPerson[]): Promise<void> {
    const wanted = new Map(persons.map((person) => [person.userId, toContact(person)]));
    await this.contacts.lockUsers(tx);
    const found = await this.contacts.lockByIds(tx, ids.map(contactIdOfUser));
    const known = new Map(found.map((contact) => [contact.userId!, contact]));
    const gone = found.filter(({ userId }) => !wanted.has(userId!));
    if (gone.length > 0) await this.writer.remove(tx, gone[0]!.userId!, gone);
    for (const after of wanted.values()) {
      const before = known.get(after.userId!);
      if (!before) await this.writer.createForUser(tx, after);
      else if (!hasSameContent(before, after))
        await this.writer.update(tx, after.userId!, { before, after: { ...after, created: before.created } });
    }
  }
}
