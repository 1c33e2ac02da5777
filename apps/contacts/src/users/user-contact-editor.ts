import { Injectable } from '@nestjs/common';
import {
  ContactErrors,
  directory,
  fieldsOf,
  INTERNAL_USER_EDIT,
  MAX_USER_IMAGE,
  SYSTEM_FOLDERS,
  UserChanges,
  type ContactData,
  type ContactUpdateQuery,
  type UserImageUpload,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import type { Picture } from '@groupware/pictures';
import { Properties } from '@groupware/service-kit';
import type { Contact } from '../domain/contact';
import { applyContent, type ContactContent } from '../domain/contact-input';
import { requireUnchangedIdentity } from '../domain/contact-identity';
import { findGlobalAddressBook, parseContactFolderId, requireWritable } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';
import { UserContacts } from './user-contacts';

/** Names of what the person of a user may say. */
const PERSON: readonly string[] = fieldsOf(UserChanges).map(({ wireName }) => wireName);

/** Changes the contacts that users have of themselves: the identity service owns what they say. */
@Injectable()
export class UserContactEditor {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly contacts: ContactRepository,
    private readonly users: UserContacts,
  ) {}

  /**
   * Changes the user's own contact.
   * @param content what the body says, checked
   * @param picture a new one; the body tells whether the old one goes
   * @throws CON-0101, CON-0119, CON-0125, CON-0164, CON-0166, CON-0167, CON-0172, CON-0173, CON-0175, CON-0176
   */
  async update(
    user: UserPrincipal,
    { id, timestamp }: { readonly id: number; readonly timestamp: ContactUpdateQuery['timestamp'] },
    body: ContactData,
    content: ContactContent,
    picture?: Picture | null,
  ): Promise<{ readonly id: number; readonly stamp: number }> {
    const mayEdit = await this.properties.get(INTERNAL_USER_EDIT, user);
    const before = await this.requireContact(user, id);
    requireWritable(before, findGlobalAddressBook(user), user);
    const { folder_id: folder } = body;
    const moves = folder && parseContactFolderId(folder) !== SYSTEM_FOLDERS.globalAddressBook;
    const movesOrHides = moves || body.private_flag || body.distribution_list?.length;
    if (!mayEdit || movesOrHides) throw ContactErrors.mustNotChange(id);
    if (before.lastModified > timestamp && !(await this.isPersonUnchanged(user, timestamp)))
      throw ContactErrors.changedInTheMeantime(id, timestamp, before.lastModified);
    requireUnchangedIdentity(before, body);
    const { first_name } = content.texts;
    if (first_name === null && before.first_name) throw ContactErrors.firstNameMissing();
    await this.caller.call(directory.changePerson, {
      principal: { kind: 'internal', service: 'contacts', contextId: user.contextId, user },
      query: { changes: toChanges(before, body, content), ...(picture && { image: this.toUpload(picture) }) },
    });
    await this.users.refresh(user, [user.userId]);
    const { lastModified } = await this.requireContact(user, id);
    // A change that says what was known is one all the same.
    const stamp = lastModified > before.lastModified ? lastModified : await this.users.touch(user, id);
    return { id, stamp };
  }

  /** Whether the data of the user are as they were at a time: the contact follows them with a later stamp of its own. */
  private async isPersonUnchanged(user: UserPrincipal, timestamp: number): Promise<boolean> {
    const persons = await this.users.loadPersons(user, [user.userId]);
    return persons.some(({ changedAt }) => changedAt <= timestamp);
  }

  private toUpload({ bytes, contentType }: Picture): UserImageUpload {
    const most = this.properties.serverValue(MAX_USER_IMAGE);
    if (bytes.length > most) throw ContactErrors.imageTooLarge(bytes.length, most);
    return { data: bytes.toString('base64'), contentType };
  }

  private async requireContact(user: UserPrincipal, id: number): Promise<Contact> {
    const contact = await this.database.read(user, (db) => this.contacts.findById(db, id));
    if (!contact) throw ContactErrors.notFound(id, user.contextId);
    if (contact.folderId !== SYSTEM_FOLDERS.globalAddressBook)
      throw ContactErrors.wrongFolder(id, SYSTEM_FOLDERS.globalAddressBook);
    return contact;
  }
}

/** Changes of the person: those of the body, and those that follow from them. */
function toChanges(before: Contact, body: ContactData, content: ContactContent): Record<string, unknown> {
  const after = applyContent(before, content);
  const { image1, ...others } = body;
  // Null and an empty text remove the picture; others are the path that answers hold.
  const given: { readonly [name: string]: unknown } = image1 ? others : body;
  const texts: { readonly [name: string]: unknown } = { ...after };
  const changes: Record<string, unknown> = {};
  for (const name of PERSON) {
    if (given[name] !== undefined) changes[name] = given[name];

    const isChanged = (texts[name] ?? null) !== (before[name as keyof Contact] ?? null);
    if (Object.hasOwn(content.texts, name) || isChanged) changes[name] = texts[name];
  }
  return changes;
}
