import { infostore, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { fieldsOfBody, parseTriesVersion } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentNotices } from '../documents/document-notices';
import { DocumentUploads } from '../documents/document-uploads';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';

/** `new` by PUT: a document without file, or with a text as its content. */
@Handles(infostore.new)
export class NewHandler implements Handler<typeof infostore.new> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly notices: DocumentNotices,
    private readonly uploads: DocumentUploads,
    private readonly storages: StorageDocuments,
  ) {}

  async handle(call: CallOf<typeof infostore.new>) {
    const { principal, query, body } = call;
    const { content, ...document } = body;
    const file = content == null ? undefined : await this.uploads.storeText(principal, content);
    const fields = fieldsOfBody(document);
    const triesVersion = parseTriesVersion(query);
    try {
      if (isStorageId(fields.folder_id ?? undefined)) {
        const stored = await this.storages.create(call, fields, file, triesVersion);
        return await this.storages.toReply(call, stored, query.extendedResponse);
      }
      const written = await this.editor.create(principal, fields, file, { triesVersion });
      return await this.notices.toReply(call, written, fields, query.extendedResponse);
    } finally {
      await this.uploads.discard(file);
    }
  }
}
