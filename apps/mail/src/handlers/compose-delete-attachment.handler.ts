import { mailComposeAttachment, type CallOf, type ComposeDeleted, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeFiles } from '../compose/compose-files';
import { COMPOSE_DELETED } from './compose-delete.handler';

/** Removes an attachment of a mail that is being written. */
@Handles(mailComposeAttachment.delete)
export class ComposeDeleteAttachmentHandler implements Handler<typeof mailComposeAttachment.delete> {
  constructor(private readonly files: ComposeFiles) {}

  async handle({ principal, query }: CallOf<typeof mailComposeAttachment.delete>): Promise<ComposeDeleted> {
    await this.files.removeFile(principal, query);
    return COMPOSE_DELETED;
  }
}
