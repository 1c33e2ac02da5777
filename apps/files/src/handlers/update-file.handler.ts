import { DocumentBody, infostore, parseFormJson, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentUploads } from '../documents/document-uploads';
import { toWrittenReply } from '../documents/written-reply';

/** `update` by POST: a new version of a document. */
@Handles(infostore.updateFile)
export class UpdateFileHandler implements Handler<typeof infostore.updateFile> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly uploads: DocumentUploads,
  ) {}

  handle({ principal, query, body, files }: CallOf<typeof infostore.updateFile>) {
    return this.uploads.withFile(files, async (prepare) => {
      const fields = fieldsOfBody(parseFormJson(DocumentBody, body['json'] ?? '{}', 'json'));
      const named = parseDocumentId(query.id);
      const { timestamp, offset, ignoreVersion: replaces = false } = query;
      const file = await prepare();
      const written =
        file && offset !== undefined
          ? await this.editor.continueFile(principal, named, timestamp, fields, file, offset)
          : await this.editor.update(principal, named, timestamp, fields, file, { replaces });
      return toWrittenReply(written, query.extendedResponse);
    });
  }
}
