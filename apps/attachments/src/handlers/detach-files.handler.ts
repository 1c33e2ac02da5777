import { attachedFiles, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttachmentDetachment } from '../attachments/attachment-detachment';

/** `detach`: files that another module removes together with a change of its object. */
@Handles(attachedFiles.detach)
export class DetachFilesHandler implements Handler<typeof attachedFiles.detach> {
  constructor(private readonly detachment: AttachmentDetachment) {}

  async handle({ principal, query }: CallOf<typeof attachedFiles.detach>): Promise<boolean> {
    if (!principal.user) throw RequestErrors.badRequest('files are detached by a user');
    const { module, object: attached, folder, ids } = query;
    await this.detachment.detachFiles(principal.user, { module, attached, folder }, ids);
    return true;
  }
}
