import { attachedFiles, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttachmentUploads } from '../attachments/attachment-uploads';

/** `copy`: files of an object that became two. */
@Handles(attachedFiles.copy)
export class CopyFilesHandler implements Handler<typeof attachedFiles.copy> {
  constructor(private readonly uploads: AttachmentUploads) {}

  handle({ principal, query }: CallOf<typeof attachedFiles.copy>): Promise<number[]> {
    if (!principal.user) throw RequestErrors.badRequest('files are copied by a user');
    const { module, object: attached, folder, target } = query;
    return this.uploads.copyFiles(principal.user, { module, attached, folder }, target);
  }
}
