import { attachedFiles, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttachmentCopies } from '../attachments/attachment-copies';

/** `copy`: files of an object that became two. */
@Handles(attachedFiles.copy)
export class CopyFilesHandler implements Handler<typeof attachedFiles.copy> {
  constructor(private readonly copies: AttachmentCopies) {}

  async handle({ principal, query }: CallOf<typeof attachedFiles.copy>): Promise<boolean> {
    const { module, object: from, target: id, files } = query;
    await this.copies.copyFiles(principal, module, { id, from, files });
    return true;
  }
}
