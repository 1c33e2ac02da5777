import {
  FILE_RIGHTS,
  FileStorageErrors,
  infostore,
  InfostoreErrors,
  RequestErrors,
  waiveCheck,
  type CallOf,
  type FileUploadQuery,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { parseTriesVersion, type DocumentFields } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentUploads, type HashedFile } from '../documents/document-uploads';
import { toWrittenReply } from '../documents/written-reply';
import { StorageDocuments } from '../storages/storage-documents';
import { listLostFields } from '../storages/lost-fields';
import { isStorageId } from '../storages/storage-id';
import { requireAccepted } from '../storages/storage-transfers';

/** `upload`: the body is the file; a new document, or a version of one. */
@Handles(infostore.upload)
export class UploadHandler implements Handler<typeof infostore.upload> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly uploads: DocumentUploads,
    private readonly storages: StorageDocuments,
  ) {}

  async handle(call: CallOf<typeof infostore.upload>) {
    const { id, folder_id: folder, filename, offset } = call.query;
    if (!id && !folder) throw RequestErrors.missingParameter('folder_id');
    if (!id && !filename) throw RequestErrors.missingParameter('filename');
    if (!id && offset) throw InfostoreErrors.offsetOfNew(offset);
    const file = await this.uploads.prepare(call.files);
    if (file) return this.writeFile(call, file);
    const empty = await this.uploads.storeEmpty(call.principal);
    try {
      return await this.writeFile(call, empty);
    } finally {
      await this.uploads.discard(empty);
    }
  }

  private async writeFile(call: CallOf<typeof infostore.upload>, file: HashedFile) {
    const { principal, query } = call;
    const { id, folder_id: folder, filename, timestamp, offset } = query;
    const triesVersion = parseTriesVersion(query);
    requireBytes(query, file);
    if (isStorageId(id ?? folder)) {
      if (offset) throw FileStorageErrors.notSupported(id ?? folder!);
      const losses = listLostFields(query, filename ?? id!, id ?? folder!);
      requireAccepted(principal, losses, query.ignoreWarnings, FileStorageErrors.abortedByWarnings);
      const stored = id
        ? await this.storages.update(call, id, timestamp ?? Number.MAX_VALUE, toFields(query), file)
        : await this.storages.create(call, toFields(query), file, triesVersion);
      return this.storages.toReply(call, stored, query.extendedResponse, losses);
    }
    if (!id) {
      const written = await this.editor.create(principal, toFields(query), file, { triesVersion });
      return toWrittenReply(written, query.extendedResponse);
    }
    waiveCheck(FILE_RIGHTS.create, 'a version needs the right to write');
    const named = parseDocumentId(id, folder);
    const { folder_id: _folder, ...fields } = toFields(query);
    const known = timestamp ?? Number.MAX_VALUE;
    const written =
      offset === undefined
        ? await this.editor.update(principal, named, known, fields, file)
        : await this.editor.continueFile(principal, named, known, fields, file, { offset });
    return toWrittenReply(written, query.extendedResponse);
  }
}

/** Requires the bytes that the client announces. A part of a file says nothing of the MD5 of the whole. @throws SVL-0010 */
function requireBytes({ file_md5sum: md5, offset }: FileUploadQuery, file: HashedFile): void {
  if (md5 !== undefined && !offset && md5.toLowerCase() !== file.md5)
    throw RequestErrors.badParameter('file_md5sum', md5);
}

const toFields = (query: FileUploadQuery): DocumentFields => ({
  folder_id: query.folder_id,
  filename: query.filename,
  title: query.title,
  file_mimetype: query.file_mimetype,
  description: query.description,
  url: query.url,
  version_comment: query.version_comment,
  categories: query.categories,
  color_label: query.color_label,
  meta: parseMeta(query.meta),
});

/** Data of clients from their JSON. @throws SVL-0010 */
function parseMeta(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw RequestErrors.badParameter('meta', text);
  }
}
