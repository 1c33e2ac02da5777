import { ExportReference, parseInput, RequestErrors, type UserRequest } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { ConvertedContacts } from '../conversion/converted-contacts';
import { DataSourceFiles } from '../conversion/data-source-files';
import { AttachedDocuments } from '../sending/attached-documents';
import { OutgoingFiles } from '../sending/outgoing-files';
import type { NewAttachment } from './compose-files';

/** Most documents and contacts of one request. */
const MAX_REFERENCES = 100;
/** Origins of files, by the names that clients give them. */
const ORIGINS: ReadonlyMap<string, 'DRIVE' | 'CONTACT'> = new Map([
  ['drive', 'DRIVE'],
  ['contact', 'CONTACT'],
  ['contacts', 'CONTACT'],
]);

/** A document or contact of the user. */
interface FileReference {
  readonly origin: 'DRIVE' | 'CONTACT';
  readonly id: string;
  readonly folder: string;
}

/** Documents and contacts of users as files of the mails that they write. */
@Injectable()
export class ReferencedFiles {
  constructor(
    private readonly documents: AttachedDocuments,
    private readonly contacts: ConvertedContacts,
    private readonly sources: DataSourceFiles,
    private readonly files: OutgoingFiles,
  ) {}

  /**
   * Keeps copies of what a form names, contacts as vCards, until they are discarded; what changes later changes no mail.
   * @param text `{origin, id, folderId}` as JSON, or a list of them
   * @throws SVL-0031, UPL-0005, and as {@link AttachedDocuments.findDocuments} and {@link ConvertedContacts.readContacts}
   */
  async keepFiles(request: UserRequest, text: string): Promise<NewAttachment[]> {
    const references = parseReferences(text);
    const kept: NewAttachment[] = [];
    try {
      const ids = references.flatMap(({ origin, id }) => (origin === 'DRIVE' ? [id] : []));
      const documents = await this.documents.findDocuments(request, ids);
      for (const reference of references) {
        const { origin } = reference;
        const document = origin === 'DRIVE' ? documents.shift()! : undefined;
        const file = document
          ? await this.files.keepFile(request.principal, this.files.openFile(document), document)
          : await this.keepContact(request, reference);
        kept.push({ ...file, origin });
      }
      return kept;
    } catch (error) {
      await this.files.discardFiles(kept);
      throw error;
    }
  }

  private async keepContact(request: UserRequest, { id, folder }: FileReference) {
    const { value, problems } = parseInput(ExportReference, { id, folder_id: folder }, 'json');
    if (problems.length > 0) throw RequestErrors.badBodyData('JSON: a contact has an id and a folder');
    return this.sources.keepCards(request.principal, await this.contacts.readContacts(request, [value]));
  }
}

/** @throws SVL-0031 */
function parseReferences(text: string): FileReference[] {
  let named: unknown;
  try {
    named = JSON.parse(text);
  } catch {
    throw RequestErrors.badBodyData('JSON: it is none');
  }
  const list: readonly unknown[] = Array.isArray(named) ? named : [named];
  if (list.length === 0 || list.length > MAX_REFERENCES)
    throw RequestErrors.badBodyData(`JSON: 1 to ${MAX_REFERENCES} files are expected`);
  return list.map((each) => {
    const { origin: name, id, folderId: folder } = (each ?? {}) as Record<string, unknown>;
    const origin = typeof name === 'string' ? ORIGINS.get(name.toLowerCase()) : undefined;
    // Clients name objects by texts and by numbers.
    if (!origin || !isId(id) || !(isId(folder) || (folder === undefined && origin === 'DRIVE')))
      throw RequestErrors.badBodyData('JSON: files are expected, as {origin: "drive" or "contacts", id, folderId}');
    return { origin, id: String(id), folder: String(folder ?? '') };
  });
}

const isId = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || typeof value === 'number';
