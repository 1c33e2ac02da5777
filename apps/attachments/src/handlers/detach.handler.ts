import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttachmentDetachment } from '../attachments/attachment-detachment';

/** `detach`: removes attachments of an object; unknown ids are ignored. */
@Handles(attachment.detach)
export class DetachHandler implements Handler<typeof attachment.detach> {
  constructor(private readonly detachment: AttachmentDetachment) {}

  async handle({ principal, query, body }: CallOf<typeof attachment.detach>) {
    const timestamp = await this.detachment.detachFiles(principal, query, body, { announce: true });
    return reply<Record<string, never>>({}, { timestamp });
  }
}
