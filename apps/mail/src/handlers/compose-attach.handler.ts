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
import { ReferencedFiles } from '../compose/referenced-files';

/** Attaches files to a mail that is being written: uploads, and documents and contacts of the user. */
@Handles(mailComposeAttachments.add)
export class ComposeAttachHandler implements Handler<typeof mailComposeAttachments.add> {
  constructor(
    private readonly files: ComposeFiles,
    private readonly references: ReferencedFiles,
  ) {}

  async handle(
    call: CallOf<typeof mailComposeAttachments.add>,
  ): Promise<ComposeAttachment | readonly ComposeAttachment[]> {
    const { principal, query, body, files } = call;
    const named = body.JSON?.trim() ? await this.references.keepFiles(call, body.JSON) : [];
    const attached = [...named, ...toComposeUploads(files, body.contentDisposition)];
    if (attached.length === 0) throw UploadErrors.missingParameter('file');
    const added = await this.files.addFiles(principal, query, attached);
    const views = added.map(toAttachmentView);
    return views.length === 1 ? views[0]! : views;
  }
}
