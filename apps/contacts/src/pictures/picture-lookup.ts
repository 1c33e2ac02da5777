import { Injectable } from '@nestjs/common';
import {
  CONTACT_RIGHTS,
  CatalogueError,
  contactIdOfUser,
  directory,
  type FileReply,
  type PictureQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Pictures, toPictureReply, type DatedPicture, type Picture } from '@groupware/pictures';
import { toReadable } from '@groupware/folders';
import { ContactsConfig } from '../contacts.config';
import { parseContactId } from '../domain/contact-id';
import { FolderAccess, isReadable, parseContactFolderId } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';
import { ContactPictureRepository, type PicturedContact } from './contact-picture.repository';

/** Persons whose picture is asked for: the first that is found counts. */
export interface PictureRequest {
  readonly userId?: string | undefined;
  readonly contact?: { readonly id: string; readonly folder: string } | undefined;
  readonly addresses: readonly (string | undefined)[];
}

/** A pixel that is not seen: what clients get who ask for a picture that is not there. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const ASK_AGAIN = 'private, no-cache';

/** Finds pictures of people as their reader may see them. */
@Injectable()
export class PictureLookup {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly contacts: ContactRepository,
    private readonly stored: ContactPictureRepository,
    private readonly pictures: Pictures,
    private readonly config: ContactsConfig,
  ) {}

  /** The answer to clients that want a picture in any case: a transparent pixel where there is none. */
  async answer(user: UserPrincipal, request: PictureRequest, wanted: PictureQuery): Promise<FileReply> {
    const found = await this.findPicture(user, request);
    const shown = found
      ? await this.show(found, wanted)
      : { contentType: 'image/gif', bytes: PIXEL, sha256: '1-fallback-image' };
    return toPictureReply(shown, { cachePolicy: ASK_AGAIN });
  }

  /** A picture in the form in which it is asked for, of sides as they are allowed; as it is stored where that cannot be. */
  async show(picture: DatedPicture, wanted: PictureQuery): Promise<DatedPicture> {
    const { bytes } = picture;
    const limited = { ...wanted };
    if (wanted.width !== undefined) limited.width = Math.min(wanted.width, this.config.imageMaxSide);
    if (wanted.height !== undefined) limited.height = Math.min(wanted.height, this.config.imageMaxSide);
    const source = { sizeBytes: bytes.length, open: () => [bytes] };
    return { ...picture, ...(await this.pictures.transform(source, limited)) };
  }

  /** The first picture that the user may see. */
  async findPicture(
    user: UserPrincipal,
    { userId, contact, addresses }: PictureRequest,
  ): Promise<DatedPicture | undefined> {
    const number = userId !== undefined && /^[1-9]\d{0,8}$/.test(userId) ? Number(userId) : undefined;
    const ofUser = number === undefined ? undefined : await this.findOfContact(user, contactIdOfUser(number), 6);
    if (ofUser) return ofUser;
    const named = contact && toNumbers(contact, user.contextId);
    const ofContact = named && (await this.findOfContact(user, named.id, named.folderId));
    if (ofContact) return ofContact;
    const wanted = addresses.flatMap((address) => (address ? [address.trim()] : []));
    return this.findByAddress(user, wanted);
  }

  private async findOfContact(user: UserPrincipal, id: number, folderId: number): Promise<DatedPicture | undefined> {
    const found = await this.database.read(user, async (db) => {
      const folder = (await this.access.findFolders(db, user, [folderId])).get(folderId);
      const contact = await this.contacts.findById(db, id);
      if (!folder || contact?.folderId !== folderId || !isReadable(contact, folder, user)) return undefined;
      if (contact.imageType === null) return undefined;
      return { contact, picture: await this.stored.find(db, id) };
    });
    return found && this.load(user, found.contact, found.picture);
  }

  private async findByAddress(user: UserPrincipal, addresses: readonly string[]): Promise<DatedPicture | undefined> {
    const found = await this.database.read(user, async (db) => {
      const readable = toReadable(CONTACT_RIGHTS.read, await this.access.listVisible(db, user), user);
      const contact = await this.stored.findByAddresses(db, user.userId, readable, addresses);
      if (!contact || contact.userId !== null) return contact && { contact, picture: undefined };
      return { contact, picture: await this.stored.find(db, contact.id) };
    });
    return found && this.load(user, found.contact, found.picture);
  }

  private async load(
    user: UserPrincipal,
    { userId, imageChanged }: Pick<PicturedContact, 'userId' | 'imageChanged'>,
    stored: Picture | undefined,
  ): Promise<DatedPicture | undefined> {
    const picture = userId === null ? stored : await this.loadOfUser(user, userId);
    return picture && { ...picture, changedMs: imageChanged };
  }

  private async loadOfUser({ contextId }: UserPrincipal, userId: number): Promise<Picture | undefined> {
    const principal = { kind: 'internal', service: 'contacts', contextId } as const;
    const image = await this.caller.call(directory.picture, { principal, query: { userId } });
    return image ? { ...image, bytes: Buffer.from(image.data, 'base64') } : undefined;
  }
}

/** The numbers of a contact and its folder; undefined where there can be none. */
function toNumbers({ id, folder }: { readonly id: string; readonly folder: string }, contextId: number) {
  try {
    return { id: parseContactId(id, contextId), folderId: parseContactFolderId(folder) };
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}
