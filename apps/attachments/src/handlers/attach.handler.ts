import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttachmentUploads } from '../attachments/attachment-uploads';
import { parseUploadedParts } from '../domain/uploaded-parts';

/** `attach`: files of one form, all or none. */
@Handles(attachment.attach)
export class AttachHandler implements Handler<typeof attachment.attach> {
  constructor(private readonly uploads: AttachmentUploads) {}

  async handle({ principal, body, files }: CallOf<typeof attachment.attach>) {
    const parts = parseUploadedParts(body, files);
    const { ids, stamp } = await this.uploads.attachFiles(principal, parts, { announce: true });
    return reply<number[]>(ids, { timestamp: stamp });
  }
}
