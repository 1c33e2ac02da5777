import { mailSending, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SEND_TYPES } from '../sending/draft-originals';
import { DraftSaving } from '../sending/draft-saving';
import { WrittenDrafts } from '../sending/written-drafts';

/** `autosave`: saves a draft in place of the former one. */
@Handles(mailSending.autosave)
export class AutosaveHandler implements Handler<typeof mailSending.autosave> {
  constructor(
    private readonly drafts: WrittenDrafts,
    private readonly saving: DraftSaving,
  ) {}

  handle(call: CallOf<typeof mailSending.autosave>): Promise<string> {
    const draft = { ...call.body, sendtype: call.body.sendtype || SEND_TYPES.editDraft };
    return this.drafts.withMail(call, draft, { isDraft: true }, (mail, [former]) =>
      this.saving.saveDraft(call, mail, former),
    );
  }
}
