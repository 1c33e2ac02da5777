import {
  FILE_RIGHTS,
  FileStorageErrors,
  infostore,
  InfostoreErrors,
  RequestErrors,
  waiveCheck,
  type CatalogueError,
  type CallOf,
  type FileUploadQuery,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import type { DocumentFields } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentUploads } from '../documents/document-uploads';
import { toWrittenReply } from '../documents/written-reply';
import { StorageDocuments } from '../storages/storage-documents';
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

  handle(call: CallOf<typeof infostore.upload>) {
    const { principal, query, files } = call;
    return this.uploads.withFile(files, async (prepare) => {
      const { id, folder_id: folder, filename, timestamp, try_add_version: triesVersion = false, offset } = query;
      if (!id && !folder) throw RequestErrors.missingParameter('folder_id');
      if (!id && !filename) throw RequestErrors.missingParameter('filename');
      if (!id && offset) throw InfostoreErrors.offsetOfNew(offset);
      const file = (await prepare()) ?? (await this.uploads.storeEmpty(principal));
      if (isStorageId(id ?? folder)) {
        if (offset) throw FileStorageErrors.notSupported(id ?? folder!);
        const losses = listLosses(query);
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
          : await this.editor.continueFile(principal, named, known, fields, file, offset);
      return toWrittenReply(written, query.extendedResponse);
    });
  }
}

/** What of a file a storage elsewhere does not keep. */
function listLosses({ id, folder_id: folder, filename, description, categories }: FileUploadQuery): CatalogueError[] {
  const named = [filename ?? id!, id ?? folder!] as const;
  return [
    ...(description ? [FileStorageErrors.losesNotes(...named)] : []),
    ...(categories ? [FileStorageErrors.losesCategories(...named)] : []),
  ];
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
});
