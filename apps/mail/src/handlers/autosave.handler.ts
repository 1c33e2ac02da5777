import { MailDraft, mailSending, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SEND_TYPES } from '../sending/draft-originals';
import { DraftSaving } from '../sending/draft-saving';
import { OutgoingFiles } from '../sending/outgoing-files';
import { WrittenDrafts } from '../sending/written-drafts';

/** `autosave`: saves a draft in place of the former one. */
@Handles(mailSending.autosave)
export class AutosaveHandler implements Handler<typeof mailSending.autosave> {
  constructor(
    private readonly drafts: WrittenDrafts,
    private readonly saving: DraftSaving,
    private readonly files: OutgoingFiles,
  ) {}

  async handle(call: CallOf<typeof mailSending.autosave>): Promise<string> {
    const written = await this.files.readBody(MailDraft, call);
    const draft = { ...written, sendtype: written.sendtype || SEND_TYPES.editDraft };
    return this.drafts.withMail(call, draft, { isDraft: true }, (mail, [former]) =>
      this.saving.saveDraft(call, mail, former),
    );
  }
}
