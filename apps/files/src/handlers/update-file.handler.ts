import {
  DocumentBody,
  findFormJson,
  FileStorageErrors,
  infostore,
  parseFormJson,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentNotices } from '../documents/document-notices';
import { DocumentUploads } from '../documents/document-uploads';
import { StorageDocuments } from '../storages/storage-documents';
import { listLostFields } from '../storages/lost-fields';
import { isStorageId } from '../storages/storage-id';
import { requireAccepted } from '../storages/storage-transfers';

/** `update` by POST: a new version of a document. */
@Handles(infostore.updateFile)
export class UpdateFileHandler implements Handler<typeof infostore.updateFile> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly notices: DocumentNotices,
    private readonly uploads: DocumentUploads,
    private readonly storages: StorageDocuments,
  ) {}

  async handle(call: CallOf<typeof infostore.updateFile>) {
    const { principal, query, body, files } = call;
    const fields = fieldsOfBody(parseFormJson(DocumentBody, findFormJson(body) ?? '{}', 'json'));
    if (isStorageId(query.id)) {
      if (query.offset) throw FileStorageErrors.notSupported(query.id);
      const losses = listLostFields(fields, fields.filename ?? query.id, query.id);
      requireAccepted(principal, losses, query.ignoreWarnings, FileStorageErrors.abortedByWarnings);
      const file = await this.uploads.prepare(files);
      const stored = await this.storages.update(call, query.id, query.timestamp, fields, file);
      return this.storages.toReply(call, stored, query.extendedResponse, losses);
    }
    const named = parseDocumentId(query.id);
    const { timestamp, timezone, offset, ignoreVersion: replaces = false } = query;
    const file = await this.uploads.prepare(files);
    const written =
      file && offset !== undefined
        ? await this.editor.continueFile(principal, named, timestamp, fields, file, { offset, timezone })
        : await this.editor.update(principal, named, timestamp, fields, file, { replaces, timezone });
    return this.notices.toReply(call, written, fields, query.extendedResponse);
  }
}
