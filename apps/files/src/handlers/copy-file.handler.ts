import { DocumentBody, findFormJson, infostore, parseFormJson, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentCopier } from '../documents/document-copier';
import { DocumentNotices } from '../documents/document-notices';
import { DocumentUploads } from '../documents/document-uploads';

/** `copy` by POST: a document with another file. */
@Handles(infostore.copyFile)
export class CopyFileHandler implements Handler<typeof infostore.copyFile> {
  constructor(
    private readonly copier: DocumentCopier,
    private readonly notices: DocumentNotices,
    private readonly uploads: DocumentUploads,
  ) {}

  async handle(call: CallOf<typeof infostore.copyFile>) {
    const { principal, query, body, files } = call;
    const fields = fieldsOfBody(parseFormJson(DocumentBody, findFormJson(body), 'json'));
    const named = parseDocumentId(query.id);
    const file = await this.uploads.prepare(files);
    const copied = await this.copier.copy(principal, named, query.version, fields, file);
    return this.notices.toReply(call, copied, fields, false);
  }
}
