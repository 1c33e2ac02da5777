import {
  mailComposeAttachments,
  UploadErrors,
  type CallOf,
  type ComposeAttachment,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeFiles } from '../compose/compose-files';
import { toAttachmentView } from '../compose/compose-spaces';
import { toComposeUploads } from '../compose/compose-uploads';

/** Attaches files to a mail that is being written. */
@Handles(mailComposeAttachments.add)
export class ComposeAttachHandler implements Handler<typeof mailComposeAttachments.add> {
  constructor(private readonly files: ComposeFiles) {}

  async handle(
    call: CallOf<typeof mailComposeAttachments.add>,
  ): Promise<ComposeAttachment | readonly ComposeAttachment[]> {
    const { principal, query, body, files } = call;
    if (files.length === 0) throw UploadErrors.missingParameter('file');
    const added = await this.files.addFiles(principal, query, toComposeUploads(files, body.contentDisposition));
    const views = added.map(toAttachmentView);
    return views.length === 1 ? views[0]! : views;
  }
}
