import {
  mailComposeAttachment,
  UploadErrors,
  type CallOf,
  type ComposeAttachment,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeFiles } from '../compose/compose-files';
import { toAttachmentView } from '../compose/compose-spaces';
import { toComposeUploads } from '../compose/compose-uploads';

/** Puts another file in place of an attachment of a mail that is being written. */
@Handles(mailComposeAttachment.replace)
export class ComposeReplaceAttachmentHandler implements Handler<typeof mailComposeAttachment.replace> {
  constructor(private readonly files: ComposeFiles) {}

  async handle(call: CallOf<typeof mailComposeAttachment.replace>): Promise<ComposeAttachment> {
    const { principal, query, body } = call;
    const [upload] = toComposeUploads(call.files, body.contentDisposition);
    if (!upload) throw UploadErrors.missingParameter('file');
    const former = await this.files.getFile(principal, query);
    const isInline = upload.isInline || (body.contentDisposition === undefined && former.cid !== null);
    const file = { ...upload, isInline, ...(former.cid === null ? {} : { cid: former.cid }) };
    const [replaced] = await this.files.addFiles(principal, query, [file], query.attachmentId);
    return toAttachmentView(replaced!);
  }
}
