import {
  ComposeErrors,
  mailComposeOriginal,
  reply,
  type CallOf,
  type ComposeAttachment,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeFiles } from '../compose/compose-files';
import { ComposeOriginals } from '../compose/compose-originals';
import { ComposeSpaces, toAttachmentView } from '../compose/compose-spaces';
import { requirePlace } from '../domain/mail-path';

/** Attaches the files of the mail that is answered. */
@Handles(mailComposeOriginal.add)
export class ComposeAttachOriginalHandler implements Handler<typeof mailComposeOriginal.add> {
  constructor(
    private readonly spaces: ComposeSpaces,
    private readonly originals: ComposeOriginals,
    private readonly files: ComposeFiles,
  ) {}

  async handle(call: CallOf<typeof mailComposeOriginal.add>) {
    const { principal, query } = call;
    const { id, meta } = await this.spaces.getSpace(principal, query);
    if (!meta.replyFor) throw ComposeErrors.notReply(id);
    const { originalFolderId, originalId } = meta.replyFor;
    const { files, warnings } = await this.originals.keepFiles(call, requirePlace(originalFolderId, originalId), id);
    const added = files.length > 0 ? await this.files.addFiles(principal, query, files) : [];
    return reply<readonly ComposeAttachment[]>(added.map(toAttachmentView), { warnings });
  }
}
