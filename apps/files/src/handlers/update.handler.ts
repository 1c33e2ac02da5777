import { FileStorageErrors, infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentNotices } from '../documents/document-notices';
import { StorageDocuments } from '../storages/storage-documents';
import { listLostFields } from '../storages/lost-fields';
import { isStorageId } from '../storages/storage-id';
import { isTransfer, requireAccepted, StorageTransfers } from '../storages/storage-transfers';

/** `update` by PUT: fields, folder and current version of a document. */
@Handles(infostore.update)
export class UpdateHandler implements Handler<typeof infostore.update> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly notices: DocumentNotices,
    private readonly storages: StorageDocuments,
    private readonly transfers: StorageTransfers,
  ) {}

  async handle(call: CallOf<typeof infostore.update>) {
    const { principal, query, body } = call;
    const fields = fieldsOfBody(body);
    if (isTransfer(query.id, fields.folder_id)) {
      const { id, timestamp, warnings } = await this.transfers.move(call, query.id, fields, query);
      return reply<string | object>(query.extendedResponse ? { id, save_action: 'none' } : id, { timestamp, warnings });
    }
    if (isStorageId(query.id)) {
      const losses = listLostFields(fields, fields.filename ?? query.id, query.id);
      requireAccepted(principal, losses, query.ignoreWarnings, FileStorageErrors.abortedByWarnings);
      const stored = await this.storages.update(call, query.id, query.timestamp, fields, undefined);
      return this.storages.toReply(call, stored, query.extendedResponse, losses);
    }
    const named = parseDocumentId(query.id);
    const { timestamp, timezone } = query;
    const written = await this.editor.update(principal, named, timestamp, fields, undefined, { timezone });
    return this.notices.toReply(call, written, fields, query.extendedResponse);
  }
}
