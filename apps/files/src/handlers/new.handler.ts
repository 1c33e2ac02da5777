import { infostore, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentUploads } from '../documents/document-uploads';
import { toWrittenReply } from '../documents/written-reply';

/** `new` by PUT: a document without file, or with a text as its content. */
@Handles(infostore.new)
export class NewHandler implements Handler<typeof infostore.new> {
  constructor(
    private readonly editor: DocumentEditor,
    private readonly uploads: DocumentUploads,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof infostore.new>) {
    const { content, ...document } = body;
    const file = content == null ? undefined : await this.uploads.storeText(principal, content);
    try {
      const written = await this.editor.create(principal, fieldsOfBody(document), file, {
        triesVersion: query.try_add_version === true,
      });
      return toWrittenReply(written, query.extendedResponse);
    } finally {
      await this.uploads.discard(file);
    }
  }
}
