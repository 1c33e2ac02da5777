import { Inject, Injectable } from '@nestjs/common';
import {
  isCatalogueError,
  ContactErrors,
  ImportExportErrors,
  type ExportReference,
  type FileReply,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, writeTextFile, type FileStore } from '@groupware/file-store';
import type { Reader } from '@groupware/persistence';
import type { AccessedFolder } from '@groupware/folders';
import { ContactsConfig } from '../contacts.config';
import type { Contact } from '../domain/contact';
import { parseContactId } from '../domain/contact-id';
import { FolderAccess, isReadable, parseContactFolderId } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';

const PAGE = 500;
/** Characters that file systems do not allow in names. */
const FORBIDDEN = /[\\/:*?"<>|\p{Cc}]/u;

/** Reads contacts for files, and writes the files. */
@Injectable()
export class ContactExport {
  constructor(
    private readonly access: FolderAccess,
    private readonly contacts: ContactRepository,
    private readonly config: ContactsConfig,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /** A folder of which the user may read something. @throws CON-0104, FLD-0008, FLD-1025, I_E-0100 */
  async requireFolder(db: Reader, user: UserPrincipal, id: string, format: string): Promise<AccessedFolder> {
    const folderId = parseExportFolder(id, format);
    const folder = await this.access.requireFolder(db, user, folderId);
    if (folder.rights.read === 0) throw ImportExportErrors.notExportable(folderId, format);
    return folder;
  }

  /** Everything in a folder that the user may read, page by page. */
  async *pagesOfFolder(
    db: Reader,
    user: UserPrincipal,
    folder: AccessedFolder,
    withLists: boolean,
  ): AsyncGenerator<Contact[]> {
    for (let after = { lastModified: -1, id: 0 }; ;) {
      const page = await this.contacts.listByFolder(db, folder.id, after, PAGE);
      yield page.filter((contact) => isReadable(contact, folder, user) && (withLists || !contact.isList));
      if (page.length < PAGE) return;
      after = page.at(-1)!;
    }
  }

  /** Some contacts in the order asked for, page by page. @throws I_E-0102 for one that the user may not read */
  async *pagesOfReferences(
    db: Reader,
    user: UserPrincipal,
    references: readonly ExportReference[],
    format: string,
  ): AsyncGenerator<Contact[]> {
    for (let start = 0; start < references.length; start += PAGE) {
      const wanted = references.slice(start, start + PAGE).map((reference) => ({
        id: parseContactId(reference.id, user.contextId),
        folderId: parseExportFolder(reference.folder_id, format),
      }));
      const [folders, found] = await Promise.all([
        this.access.findFolders(
          db,
          user,
          wanted.map(({ folderId }) => folderId),
        ),
        this.contacts.listByIds(
          db,
          wanted.map(({ id }) => id),
        ),
      ]);
      const byId = new Map(found.map((contact) => [contact.id, contact]));
      yield wanted.map(({ id, folderId }) => {
        const [contact, folder] = [byId.get(id), folders.get(folderId)];
        if (contact?.folderId !== folderId || !folder || !isReadable(contact, folder, user))
          throw ImportExportErrors.notLoaded();
        return contact;
      });
    }
  }

  /** The name of a file with some contacts: of the only one, or of several. */
  async nameOf(db: Reader, user: UserPrincipal, references: readonly ExportReference[]): Promise<string> {
    const [only] = references;
    if (references.length !== 1) return 'Contacts';
    const contact = await this.contacts.findById(db, parseContactId(only!.id, user.contextId));
    return contact?.display_name ?? 'Contacts';
  }

  /** Writes a file that goes once it was sent. */
  writeFile(
    texts: AsyncIterable<string>,
    {
      name,
      extension,
      contentType,
    }: { readonly name: string; readonly extension: string; readonly contentType: string },
  ): Promise<FileReply> {
    return writeTextFile(this.files, texts, {
      name: `${FORBIDDEN.test(name) ? 'Export' : name}.${extension}`,
      contentType,
      maxBytes: this.config.exportMaxBytes,
    });
  }
}

/** @throws I_E-0100 for a folder of another module, FLD-1025 */
function parseExportFolder(id: string, format: string): number {
  try {
    return parseContactFolderId(id);
  } catch (error) {
    throw isCatalogueError(error, ContactErrors.notContacts) ? ImportExportErrors.notExportable(id, format) : error;
  }
}
