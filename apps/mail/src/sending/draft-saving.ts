import type { UserRequest } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { toMailPath, type MailPlace } from '../domain/mail-path';
import { MailSending, type WrittenMail } from './mail-sending';
import { StoredMails } from './stored-mails';

/** Saves mails as drafts. */
@Injectable()
export class DraftSaving {
  constructor(
    private readonly sending: MailSending,
    private readonly stored: StoredMails,
  ) {}

  /**
   * Stores a draft in the folder for drafts of the sender; a former one goes once the new one is there.
   * @returns its path
   * @throws MSG-0116 when the mailbox is full
   */
  async saveDraft(request: UserRequest, mail: WrittenMail, former: MailPlace | undefined): Promise<string> {
    const draft = { ...mail, headers: { ...mail.headers, ...mail.draftHeaders } };
    const place = await this.sending.storeMail(request, draft, (source) =>
      this.stored.storeByRole(request, mail.sender.account, 'drafts', source, ['\\Draft', '\\Seen']),
    );
    if (former) await this.stored.removeDraft(request, former);
    return toMailPath(place);
  }
}
