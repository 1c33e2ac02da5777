import { DocumentBody, findFormJson, infostore, parseFormJson, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { fieldsOfBody, parseTriesVersion } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentNotices } from '../documents/document-notices';
import { DocumentUploads } from '../documents/document-uploads';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';

/** `new` by POST: a document with a file. */
@Handles(infostore.newFile)
export class NewFileHandler implements Handler<typeof infostore.newFile> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly notices: DocumentNotices,
    private readonly uploads: DocumentUploads,
    private readonly storages: StorageDocuments,
  ) {}

  async handle(call: CallOf<typeof infostore.newFile>) {
    const { principal, query, body, files } = call;
    const fields = fieldsOfBody(parseFormJson(DocumentBody, findFormJson(body), 'json'));
    const triesVersion = parseTriesVersion(query);
    const file = await this.uploads.prepare(files);
    if (isStorageId(fields.folder_id ?? undefined)) {
      const stored = await this.storages.create(call, fields, file, triesVersion);
      return this.storages.toReply(call, stored, query.extendedResponse);
    }
    const written = await this.editor.create(principal, fields, file, { triesVersion });
    return this.notices.toReply(call, written, fields, query.extendedResponse);
  }
}
