import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ContactErrors,
  RequestErrors,
  SYSTEM_FOLDERS,
  type ContactData,
  type ContactUpdateQuery,
  type UserPrincipal,
  VALIDATE_EMAIL,
} from '@groupware/contracts';
import { ModuleDatabase, pipeline, type Transaction } from '@groupware/persistence';
import type { Picture } from '@groupware/pictures';
import { Clock, Properties } from '@groupware/service-kit';
import type { AccessedFolder } from '@groupware/folders';
import { type Contact, isOwn, MEMBER_FIELDS, type StoredMember } from '../domain/contact';
import { requireUnchangedIdentity } from '../domain/contact-identity';
import { parseContactId } from '../domain/contact-id';
import {
  applyContent,
  EMPTY_CONTACT,
  parseContent,
  toStoredId,
  type ContactContent,
  type ContentRules,
} from '../domain/contact-input';
import { parseMembers, resolveMembers, type MemberRequest } from '../domain/list-members';
import {
  FolderAccess,
  parseContactFolderId,
  requireDeletable,
  requireMayCreate,
  requireWritable,
} from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';
import { ContactPictureRepository } from '../pictures/contact-picture.repository';
import { UserContactEditor } from '../users/user-contact-editor';
import { ContactQuota } from './contact-quota';
import { ContactWriter } from './contact-writer';
import { ListReferences } from './list-references';

/** A contact that was written. */
export interface WrittenContact {
  readonly id: number;
  readonly stamp: number;
}

/** The parts of a request body besides the plain fields. */
interface ContactRequest {
  readonly rules: ContentRules;
  readonly content: ContactContent;
  /** Undefined leaves the members as they are; an empty list is no distribution list any more, unless marked. */
  readonly members?: readonly MemberRequest[];
  readonly markAsList: boolean;
}

/** Creates and changes contacts for users. */
@Injectable()
export class ContactEditor {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly access: FolderAccess,
    private readonly contacts: ContactRepository,
    private readonly references: ListReferences,
    private readonly quota: ContactQuota,
    private readonly writer: ContactWriter,
    private readonly users: UserContactEditor,
    private readonly pictures: ContactPictureRepository,
    private readonly clock: Clock,
  ) {}

  /** Creates a contact, with a picture if there is one. @throws SVL-0002, CON-0100, CON-0104, CON-0112, CON-0154, CON-0168, CON-0171, CON-0176, CON-0177, QUOTA-0003 */
  async create(user: UserPrincipal, body: ContactData, picture?: Picture | null): Promise<WrittenContact> {
    if (!body.folder_id) throw RequestErrors.missingParameter('folder_id');
    const folderId = parseContactFolderId(body.folder_id);
    const [request, limit] = await Promise.all([this.parse(user, body), this.quota.getLimit(user)]);
    const uid = toStoredId('uid', body.uid) ?? randomUUID();
    return this.database.transact(user, async (tx) => {
      const folder = (await this.access.lockFolders(tx, user, [folderId])).get(folderId)!;
      requireMayCreate(folder);
      if (body.user_id) throw ContactErrors.mustNotChange(0);
      const { texts } = request.content;
      const content = { ...request.content, texts: { file_as: texts.display_name ?? null, ...texts } };
      const filled = applyContent({ ...EMPTY_CONTACT, folderId, uid }, content);
      requirePrivateHere(filled, folder);
      const members = await this.resolve(tx, user, request);
      const contact = {
        ...filled,
        ...toListState(members, request.markAsList),
        ...(picture && { imageType: picture.contentType, imageChanged: this.clock.now() }),
      };
      const { stamp, ids } = await this.writer.create(
        tx,
        user.userId,
        [{ contact, ...(members && { members }) }],
        limit,
      );
      if (picture) this.pictures.upsert(tx, ids[0]!, picture);
      if (body.useCount != null) this.contacts.setUseCount(tx, user.userId, ids[0]!, body.useCount);
      return { id: ids[0]!, stamp };
    });
  }

  /**
   * Changes a contact, and moves it where the body names another folder.
   * @param picture null removes the one that it has
   * @throws CON-0100, CON-0104, CON-0112, CON-0119, CON-0125, CON-0154, CON-0168, CON-0169, CON-0171, CON-0174, CON-0176, CON-0177
   */
  async update(
    user: UserPrincipal,
    query: ContactUpdateQuery,
    body: ContactData,
    picture?: Picture | null,
  ): Promise<WrittenContact> {
    const folderId = parseContactFolderId(query.folder);
    const targetId = body.folder_id ? parseContactFolderId(body.folder_id) : folderId;
    const id = parseContactId(query.id, user.contextId);
    const request = await this.parse(user, body);
    if (folderId === SYSTEM_FOLDERS.globalAddressBook)
      return this.users.update(user, { id, timestamp: query.timestamp }, body, request.content, picture);
    const followsInLists =
      targetId !== folderId || MEMBER_FIELDS.some((name) => request.content.texts[name] !== undefined);
    const listCreators = followsInLists ? await this.references.loadListCreators(user, id) : [];
    return this.database.transact(user, async (tx) => {
      const [folders, [before]] = await pipeline(
        this.access.lockFolders(tx, user, [folderId, targetId]),
        this.contacts.lockByIds(tx, [id]),
      );
      const folder = folders.get(folderId)!;
      if (!before) throw ContactErrors.notFound(id, user.contextId);
      if (before.folderId !== folderId) throw ContactErrors.wrongFolder(id, folderId);
      requireWritable(before, folder, user);
      if (before.lastModified > query.timestamp)
        throw ContactErrors.changedInTheMeantime(id, query.timestamp, before.lastModified);
      requireUnchangedIdentity(before, body);
      const target = folders.get(targetId)!;
      if (target !== folder) {
        requireDeletable(before, folder, user);
        requireMayCreate(target);
      }
      const changed = applyContent({ ...before, folderId: targetId }, request.content);
      if (changed.isPrivate && !before.isPrivate && !isOwn(before, user)) throw ContactErrors.mustNotChange(id);
      requirePrivateHere(changed, target);
      const members = await this.resolve(tx, user, request, id);
      const after = {
        ...changed,
        ...toListState(members, request.markAsList),
        ...toImageState(before, picture, this.clock.now()),
      };
      const followers = [user.userId, ...(await this.references.listReaders(tx, listCreators, after))];
      const stamp = await this.writer.update(tx, user.userId, {
        before,
        after,
        followers,
        ...(members && { members }),
      });
      if (picture) this.pictures.upsert(tx, id, picture);
      else if (picture === null) this.pictures.remove(tx, id);
      if (body.useCount != null) this.contacts.setUseCount(tx, user.userId, id, body.useCount);
      return { id, stamp };
    });
  }

  private async parse(user: UserPrincipal, body: ContactData): Promise<ContactRequest> {
    const rules: ContentRules = { validateEmail: await this.properties.get(VALIDATE_EMAIL, user) };
    const list: ContactData['distribution_list'] | null = body.distribution_list;
    return {
      rules,
      content: parseContent(body, rules),
      ...(list !== undefined && { members: parseMembers(list ?? []) }),
      markAsList: body.mark_as_distributionlist ?? false,
    };
  }

  private async resolve(
    tx: Transaction,
    user: UserPrincipal,
    { members, rules }: ContactRequest,
    listId?: number,
  ): Promise<StoredMember[] | undefined> {
    if (!members) return undefined;
    const known = listId === undefined ? [] : await this.contacts.listMembers(tx, listId);
    const readable = await this.references.findReadable(tx, user, [...members, ...known]);
    return resolveMembers(members, { readable, known, ...rules });
  }
}

/** State of a contact with members: any make it a list, none a plain contact unless it is marked; undefined changes nothing. */
function toListState(
  members: readonly StoredMember[] | undefined,
  markAsList: boolean,
): { isList?: boolean; members?: number } {
  if (members) return { isList: members.length > 0 || markAsList, members: members.length };
  return markAsList ? { isList: true } : {};
}

/** Changes of a contact by a picture: null removes the one it has. The address of a picture tells when it was set. */
function toImageState(
  { imageType, imageChanged }: Contact,
  picture: Picture | null | undefined,
  now: number,
): Partial<Contact> {
  if (picture === undefined || (picture === null && imageType === null)) return {};
  return { imageType: picture?.contentType ?? null, imageChanged: Math.max(now, (imageChanged ?? 0) + 1) };
}

/** Refuses a private contact in a public folder (CON-0171). */
function requirePrivateHere({ isPrivate }: Pick<Contact, 'isPrivate'>, folder: AccessedFolder): void {
  if (isPrivate && folder.isPublic) throw ContactErrors.privateNotHere();
}
