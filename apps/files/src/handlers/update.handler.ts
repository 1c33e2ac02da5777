import { infostore, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { toWrittenReply } from '../documents/written-reply';

/** `update` by PUT: fields, folder and current version of a document. */
@Handles(infostore.update)
export class UpdateHandler implements Handler<typeof infostore.update> {
  constructor(private readonly editor: DocumentEditor) {}

  async handle({ principal, query, body }: CallOf<typeof infostore.update>) {
    const named = parseDocumentId(query.id);
    const written = await this.editor.update(principal, named, query.timestamp, fieldsOfBody(body), undefined);
    return toWrittenReply(written, query.extendedResponse);
  }
}
