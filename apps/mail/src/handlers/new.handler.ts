import {
  DELETE_SENT_DRAFT,
  MAIL_FLAGS,
  MailDraft,
  MailErrors,
  mailSending,
  parseFormJson,
  reply,
  type CallOf,
  type Handler,
  type MailDraftSharing,
} from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { toShared } from '../compose/compose-fields';
import { LinkedMails } from '../compose/linked-mails';
import { toServerFlags } from '../domain/mail-flags';
import { parseMailFolder } from '../domain/mail-folder';
import { toMailPath } from '../domain/mail-path';
import { SEND_TYPES } from '../sending/draft-originals';
import { DraftSaving } from '../sending/draft-saving';
import { MailSending } from '../sending/mail-sending';
import { OutgoingFiles } from '../sending/outgoing-files';
import { StoredMails } from '../sending/stored-mails';
import { MailPreferences } from '../accounts/mail-preferences';
import { toEffects, WrittenDrafts } from '../sending/written-drafts';

/** Field of the form with the mail. */
const MAIL = 'json_0';

/** `new` with a form: sends the mail in json_0, or stores it. */
@Handles(mailSending.new)
export class NewHandler implements Handler<typeof mailSending.new> {
  constructor(
    private readonly drafts: WrittenDrafts,
    private readonly sending: MailSending,
    private readonly stored: StoredMails,
    private readonly linked: LinkedMails,
    private readonly saving: DraftSaving,
    private readonly files: OutgoingFiles,
    private readonly properties: Properties,
    private readonly preferences: MailPreferences,
  ) {}

  async handle(call: CallOf<typeof mailSending.new>) {
    const { query, principal } = call;
    const draft = parseDraft(await this.files.readField(call, MAIL));
    const isDraft = ((draft.flags ?? 0) & MAIL_FLAGS.draft) !== 0 || draft.sendtype === SEND_TYPES.editDraft;
    const uploads = this.files.fromUploads(call.files.filter(({ field }) => field !== MAIL));
    return this.drafts.withMail(call, draft, { uploads, isDraft }, async (written, references, originals) => {
      const wrapAt = await this.preferences.wrapsAfter(call, written.body.type, query.lineWrapAfter);
      const mail = wrapAt ? { ...written, wrapAt } : written;
      if (isDraft) {
        const former = draft.sendtype === SEND_TYPES.editDraft ? references[0] : undefined;
        return reply<string | null>(await this.saving.saveDraft(call, mail, former), {});
      }
      if (query.folder !== undefined) {
        const folder = parseMailFolder(query.folder);
        const place = await this.sending.storeMail(call, mail, (source) =>
          this.stored.storeMail(call, folder, source, toServerFlags(query.flags ?? MAIL_FLAGS.seen)),
        );
        return reply<string | null>(toMailPath(place), {});
      }
      const dropsDraft = await this.properties.get(DELETE_SENT_DRAFT, principal);
      const copyToSent = query.copy2Sent ?? (await this.preferences.keepsCopies(call));
      const effects = toEffects(draft, references, originals, { copyToSent, dropsDraft });
      const { copy, warnings } = draft.share_attachments?.enable
        ? await this.linked.sendMail(call, mail, toSharing(draft.share_attachments), effects)
        : await this.sending.sendMail(call, mail, effects);
      return reply<string | null>(copy ? toMailPath(copy) : null, { warnings });
    });
  }
}

const toSharing = ({ enable, instruction_language, autodelete, expiry_date, password }: MailDraftSharing) =>
  toShared({ enabled: enable, language: instruction_language, autodelete, expiryDate: expiry_date, password });

/** @throws MSG-0086 without a mail, SVL-0031 for a bad one */
function parseDraft(text: string | undefined): MailDraft {
  if (text === undefined) throw MailErrors.processingFailed(MailErrors.missingParameter(MAIL).message);
  return parseFormJson(MailDraft, text, MAIL);
}
