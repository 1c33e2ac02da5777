import {
  MAIL_FLAGS,
  mailSending,
  reply,
  RequestErrors,
  type CallOf,
  type Handler,
  type MailAddress,
  type MailLocation,
} from '@groupware/contracts';
import { readRecipients } from '@groupware/mail-content';
import { Handles } from '@groupware/service-kit';
import { MailPreferences } from '../accounts/mail-preferences';
import { toServerFlags } from '../domain/mail-flags';
import { parseMailFolder, toMailFolderId } from '../domain/mail-folder';
import { withoutHeader, writeSource } from '../domain/mail-source';
import { ImportedMails, type ImportedMail } from '../sending/imported-mails';
import { MailSending, toSendingError } from '../sending/mail-sending';
import { OutgoingFiles } from '../sending/outgoing-files';
import { findKeeper } from '../sending/senders';
import { StoredMails, type StoredPlace } from '../sending/stored-mails';

type NewSourceCall = CallOf<typeof mailSending.newSource>;

/** `new` with the source of a mail: sends it as it is, or stores it in a folder. */
@Handles(mailSending.newSource)
export class NewSourceHandler implements Handler<typeof mailSending.newSource> {
  constructor(
    private readonly imported: ImportedMails,
    private readonly sending: MailSending,
    private readonly stored: StoredMails,
    private readonly files: OutgoingFiles,
    private readonly preferences: MailPreferences,
  ) {}

  async handle(call: NewSourceCall) {
    const { query } = call;
    const uploads = this.files.fromUploads(call.files);
    const [file] = uploads;
    if (!file) throw RequestErrors.wrongBodyType('the source of a mail', 'nothing');
    const mail = await this.imported.readMail(call, file, query.force === true && query.folder !== undefined);
    if (query.folder !== undefined) {
      const folder = parseMailFolder(query.folder);
      const flags = toServerFlags(query.flags ?? 0);
      return reply<MailLocation>(
        toLocation(await this.stored.storeMail(call, folder, writeSource(mail.source), flags)),
        {},
      );
    }
    return this.sendMail(call, mail);
  }

  private async sendMail(call: NewSourceCall, mail: ImportedMail) {
    const complete = this.imported.complete(mail);
    const addresses = ['to', 'cc', 'bcc'].flatMap((name) => mail.headers.getAddresses(name));
    let recipients: MailAddress[];
    try {
      recipients = readRecipients('to', addresses);
    } catch (error) {
      throw toSendingError(error);
    }
    const { copy, warnings } = await this.sending.sendSource(
      call,
      mail.sender,
      {
        wire: writeSource(withoutHeader(complete, 'bcc')),
        copy: writeSource(complete),
        recipients,
      },
      { copyToSent: call.query.copy2Sent ?? (await this.preferences.keepsCopies(call)), flagged: [] },
    );
    return reply<MailLocation>(
      copy ? toLocation(copy) : { folder_id: toMailFolderId({ account: findKeeper(mail.sender.account), path: '' }) },
      {
        warnings,
      },
    );
  }
}

const toLocation = ({ folder, uid }: StoredPlace): MailLocation => ({
  folder_id: toMailFolderId(folder),
  ...(uid ? { id: String(uid) } : {}),
});

/** Flags of mails that are stored, drafts among them. */
export const toStoredFlags = (bits: number, isDraft: boolean): string[] =>
  toServerFlags(isDraft ? bits | MAIL_FLAGS.draft : bits);
