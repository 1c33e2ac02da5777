import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  ContactErrors,
  errorObject,
  ImportExportErrors,
  type ImportedItem,
  type UserPrincipal,
} from '@groupware/contracts';
import { pipeline, type Transaction } from '@groupware/persistence';
import type { Picture } from '@groupware/pictures';
import { Clock, isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { deriveUid, type AccessedFolder } from '@groupware/folders';
import { ContactQuota } from '../contacts/contact-quota';
import { ContactWriter } from '../contacts/contact-writer';
import { isOwn, type Contact, type StoredMember } from '../domain/contact';
import { applyContent, EMPTY_CONTACT } from '../domain/contact-input';
import { FolderAccess, isReadable, requireMayCreate, requireWritable } from '../folders/folder-access';
import { ContactCardRepository } from '../persistence/contact-card.repository';
import { ContactRepository } from '../persistence/contact.repository';
import { ContactPictureRepository } from '../pictures/contact-picture.repository';
import type { ImportedContact, ImportEntry } from './import-entry';

/** An entry that holds a contact. */
export type StorableEntry = ImportEntry & { readonly contact: ImportedContact };

/** An import under way. */
export interface ImportRun {
  readonly folderId: number;
  /** Entries without uid get one of it and their place in the file. */
  readonly seed: string;
  /** Most contacts of the context, below zero without limit. */
  readonly quota: number;
}

/** A contact of a batch that is not stored yet. */
interface PendingContact {
  contact: Omit<Contact, 'id' | 'created' | 'lastModified' | 'createdBy' | 'modifiedBy'>;
  members: readonly StoredMember[] | undefined;
  card: string | undefined;
  picture: Picture | undefined;
}

/** Stores a batch of entries of a file in one transaction. A contact is known by its uid within the folder. */
@Injectable()
export class ImportBatch {
  constructor(
    private readonly access: FolderAccess,
    private readonly contacts: ContactRepository,
    private readonly cards: ContactCardRepository,
    private readonly writer: ContactWriter,
    private readonly quota: ContactQuota,
    private readonly pictures: ContactPictureRepository,
    private readonly clock: Clock,
  ) {}

  /** Results in the order of the entries. @throws CON-0104, CON-0112, FLD-0008; QUOTA-0003 when others took the room meanwhile */
  async store(
    tx: Transaction,
    user: UserPrincipal,
    { folderId, seed, quota }: ImportRun,
    entries: readonly StorableEntry[],
  ): Promise<ImportedItem[]> {
    const folder = (await this.access.lockFolders(tx, user, [folderId])).get(folderId)!;
    requireMayCreate(folder);
    // Entries without uid get the same one whenever the same import is repeated.
    const derived = entries.map(({ index }) => deriveUid(`${seed} ${index}`));
    const named = entries.flatMap(({ contact }) => contact.uid ?? []);
    const [, found, elsewhere] = await pipeline(
      this.contacts.lockImports(tx, folderId),
      this.contacts.lockByUids(tx, folderId, [...named, ...derived]),
      this.contacts.listUidsElsewhere(tx, user.userId, folderId, named),
    );
    const readable = found.filter((contact) => isReadable(contact, folder, user));
    const known = new Map(readable.map((contact) => [contact.uid, contact]));
    // Uids of contacts that the user may not read tell nothing: their cards are stored as new ones.
    const taken = new Set([...elsewhere, ...found.flatMap(({ uid }) => (known.has(uid) ? [] : [uid]))]);
    const pictured = readable.filter(({ imageType }) => imageType !== null).map(({ id }) => id);
    const digests = await this.pictures.mapDigests(tx, pictured);
    const created = new Map<string, PendingContact>();
    const stamps = new Map<string, { id: number; lastModified: number }>();
    const refusals = new Map<number, CatalogueError>();
    const used = await this.quota.countUsed(tx, quota);
    const uids: string[] = [];
    for (const [at, { contact }] of entries.entries()) {
      if (isTurnOver()) await yieldToEventLoop();
      const uid = [contact.uid, derived[at]!].find((each) => each && (known.has(each) || created.has(each)));
      uids[at] = uid ?? (contact.uid && !taken.has(contact.uid) ? contact.uid : derived[at]!);
      try {
        const before = known.get(uids[at]);
        if (before)
          stamps.set(before.uid, await this.update(tx, user, folder, before, contact, digests.get(before.id)));
        else {
          const pending = toPending(folderId, uids[at], contact, this.clock.now());
          requirePrivateHere(pending.contact, folder);
          if (used !== undefined && !created.has(uids[at]) && used + created.size >= quota)
            throw this.quota.toExceededError(used, quota);
          created.set(uids[at], pending);
        }
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        refusals.set(at, error);
      }
    }
    if (created.size > 0) {
      const pending = [...created.values()];
      const { stamp, ids } = await this.writer.create(
        tx,
        user.userId,
        pending.map(({ contact, members }) => ({ contact, ...(members && { members }) })),
        quota,
      );
      this.cards.upsert(
        tx,
        pending.flatMap(({ card }, at) => (card === undefined ? [] : [{ contactId: ids[at]!, card }])),
      );
      for (const [at, { contact, picture }] of pending.entries()) {
        if (picture) this.pictures.upsert(tx, ids[at]!, picture);
        stamps.set(contact.uid, { id: ids[at]!, lastModified: stamp });
      }
    }
    return entries.map((entry, at) => {
      const refusal = refusals.get(at);
      return refusal
        ? toRefusedItem(entry, refusal, user)
        : toStoredItem(entry, stamps.get(uids[at]!)!, folderId, user);
    });
  }

  /** Brings a contact up to date; one that says the same already stays as it is. */
  private async update(
    tx: Transaction,
    user: UserPrincipal,
    folder: AccessedFolder,
    before: Contact,
    { content, members, card, picture }: ImportedContact,
    digest: string | undefined,
  ): Promise<{ id: number; lastModified: number }> {
    requireWritable(before, folder, user);
    if (before.userId !== null) throw ContactErrors.mustNotChange(before.id);
    const changed = applyContent(before, content);
    const isNewPicture = picture !== undefined && picture.sha256 !== digest;
    const after = {
      ...changed,
      isList: members !== undefined,
      members: members?.length ?? 0,
      ...(isNewPicture && {
        imageType: picture.contentType,
        imageChanged: Math.max(this.clock.now(), (before.imageChanged ?? 0) + 1),
      }),
    };
    if (after.isPrivate && !before.isPrivate && !isOwn(before, user)) throw ContactErrors.mustNotChange(before.id);
    requirePrivateHere(after, folder);
    if (card !== undefined) this.cards.upsert(tx, [{ contactId: before.id, card }]);
    if (isNewPicture) this.pictures.upsert(tx, before.id, picture);
    const isSame = (Object.keys(after) as (keyof Contact)[]).every(
      (key) => (after[key] ?? null) === (before[key] ?? null),
    );
    if (isSame && !after.isList) return { id: before.id, lastModified: before.lastModified };
    const change = { before, after, members: members ?? [], followers: [user.userId] };
    const stamp = await this.writer.update(tx, user.userId, change);
    return { id: before.id, lastModified: stamp };
  }
}

function toPending(
  folderId: number,
  uid: string,
  { content, members, card, picture }: ImportedContact,
  nowMs: number,
): PendingContact {
  const { texts } = content;
  const filled = applyContent(
    { ...EMPTY_CONTACT, folderId, uid },
    { ...content, texts: { file_as: texts.display_name ?? null, ...texts } },
  );
  return {
    contact: {
      ...filled,
      isList: members !== undefined,
      members: members?.length ?? 0,
      ...(picture && { imageType: picture.contentType, imageChanged: nowMs }),
    },
    members,
    card,
    picture,
  };
}

function requirePrivateHere({ isPrivate }: Pick<Contact, 'isPrivate'>, { isPublic }: AccessedFolder): void {
  if (isPrivate && isPublic) throw ContactErrors.privateNotHere();
}

const toPlace = ({ line, fields }: ImportEntry): Partial<ImportedItem> => ({
  line_number: line,
  ...(fields && { field_names: fields }),
});

/** The result of an entry that was not stored. */
export const toRefusedItem = (entry: ImportEntry, error: unknown, user: UserPrincipal): ImportedItem => ({
  ...toPlace(entry),
  ...errorObject(error instanceof CatalogueError ? error : ImportExportErrors.notStored(), user.locale),
});

/** The result of a stored entry; the first of what was left out stands in the fields of an error. */
const toStoredItem = (
  entry: ImportEntry,
  { id, lastModified }: { readonly id: number; readonly lastModified: number },
  folderId: number,
  { locale }: UserPrincipal,
): ImportedItem => ({
  id: String(id),
  folder_id: String(folderId),
  last_modified: lastModified,
  ...(entry.warnings.length > 0 && {
    ...toPlace(entry),
    ...errorObject(entry.warnings[0]!, locale),
    warnings: entry.warnings.map((warning) => {
      const { code, error } = errorObject(warning, locale);
      return { code, message: error };
    }),
  }),
});
