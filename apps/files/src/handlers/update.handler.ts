import { infostore, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { toWrittenReply } from '../documents/written-reply';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';

/** `update` by PUT: fields, folder and current version of a document. */
@Handles(infostore.update)
export class UpdateHandler implements Handler<typeof infostore.update> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly storages: StorageDocuments,
  ) {}

  async handle(call: CallOf<typeof infostore.update>) {
    const { principal, query, body } = call;
    if (isStorageId(query.id)) {
      const stored = await this.storages.update(call, query.id, query.timestamp, fieldsOfBody(body), undefined);
      return this.storages.toReply(call, stored, query.extendedResponse);
    }
    const named = parseDocumentId(query.id);
    const written = await this.editor.update(principal, named, query.timestamp, fieldsOfBody(body), undefined);
    return toWrittenReply(written, query.extendedResponse);
  }
}
