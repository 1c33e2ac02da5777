import {
  attachedFiles,
  AttachmentErrors,
  isCatalogueError,
  infostore,
  UploadErrors,
  type CallOf,
  type Handler,
  type LocatedFile,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentUploads, type HashedFile } from '../documents/document-uploads';
import { toWrittenReply } from '../documents/written-reply';

/** `saveAs`: a document of an attachment of an object. */
@Handles(infostore.saveAs)
export class SaveAsHandler implements Handler<typeof infostore.saveAs> {
  constructor(
    private readonly caller: Caller,
    private readonly editor: DocumentEditor,
    private readonly uploads: DocumentUploads,
  ) {}

  async handle(call: CallOf<typeof infostore.saveAs>) {
    const { principal, query, body } = call;
    const fields = fieldsOfBody(body[0] ?? {});
    const source = await this.locateFile(call);
    const file = await this.copyFile(call, source);
    try {
      const written = await this.editor.create(principal, fields, file, { scans: query.scan === true });
      return toWrittenReply(written, false);
    } finally {
      await this.uploads.discard(file);
    }
  }

  private locateFile({ principal, query }: CallOf<typeof infostore.saveAs>): Promise<LocatedFile> {
    const { module, attached: object, folder, attachment: id } = query;
    return this.caller.call(attachedFiles.locate, {
      principal: { kind: 'internal', service: 'files', contextId: principal.contextId, user: principal },
      query: { module, object, folder, id },
    });
  }

  /** @throws ATT-0405 when the attachment was removed meanwhile */
  private async copyFile(
    { principal, query }: CallOf<typeof infostore.saveAs>,
    source: LocatedFile,
  ): Promise<HashedFile> {
    try {
      return await this.uploads.storeCopy(principal, source);
    } catch (error) {
      if (isCatalogueError(error, UploadErrors.failed)) throw AttachmentErrors.notFound(query.attachment);
      throw error;
    }
  }
}
