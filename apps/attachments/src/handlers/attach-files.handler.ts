import { attachedFiles, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttachmentUploads } from '../attachments/attachment-uploads';
import { createPart } from '../domain/uploaded-parts';

/** `attach`: files that another module was given together with its object. */
@Handles(attachedFiles.attach)
export class AttachFilesHandler implements Handler<typeof attachedFiles.attach> {
  constructor(private readonly uploads: AttachmentUploads) {}

  async handle({ principal, query }: CallOf<typeof attachedFiles.attach>): Promise<number[]> {
    if (!principal.user) throw RequestErrors.badRequest('files are attached by a user');
    const { module, object: attached, folder, files } = query;
    const parts = files.map((file) =>
      createPart(
        { module, attached, folder },
        { filename: file.name, file_mimetype: file.contentType },
        { ...file, field: 'file' },
      ),
    );
    return (await this.uploads.attachFiles(principal.user, parts)).ids;
  }
}
