import { FileReply, mailComposeAttachment, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeFiles } from '../compose/compose-files';
import { resolveShownType } from '../compose/shown-type';

/** The bytes of an attachment of a mail that is being written. */
@Handles(mailComposeAttachment.get)
export class ComposeGetAttachmentHandler implements Handler<typeof mailComposeAttachment.get> {
  constructor(private readonly files: ComposeFiles) {}

  async handle({ principal, query }: CallOf<typeof mailComposeAttachment.get>): Promise<FileReply> {
    const { reference, name, sizeBytes, contentType, sniffed } = await this.files.getFile(principal, query);
    return new FileReply({ reference, name, sizeBytes, ...resolveShownType(contentType, sniffed) });
  }
}
