import { isCatalogueError, MailErrors, type ComposeSharedAttachments } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { MailSending, type SendingEffects, type SentMail, type WrittenMail } from '../sending/mail-sending';
import { SharedFiles, type SharingRequest } from './shared-files';

/** Sends mails whose files may go as a link. */
@Injectable()
export class LinkedMails {
  constructor(
    private readonly sending: MailSending,
    private readonly sharedFiles: SharedFiles,
  ) {}

  /**
   * Sends a mail, with a link in place of its files where its author or operators want that. The files stay where it is unknown
   * whether it was sent.
   * @throws as {@link SharedFiles.resolveSharing}, {@link SharedFiles.shareFiles} and {@link MailSending.sendMail}
   */
  async sendMail(
    request: SharingRequest,
    mail: WrittenMail,
    wanted: ComposeSharedAttachments,
    effects: SendingEffects,
  ): Promise<SentMail> {
    const shared = await this.sharedFiles.resolveSharing(request.principal, wanted, mail.files);
    if (!shared) return this.sending.sendMail(request, mail, effects);
    const { sender, to, cc, bcc } = mail;
    await this.sending.requireSendable(request.principal, sender.account, [...to, ...cc, ...bcc].length);
    const folder = await this.sharedFiles.shareFiles(request, mail, shared);
    try {
      const linked = this.sharedFiles.toLinkedMail(request.principal, mail, folder, shared);
      return await this.sending.sendMail(request, linked, effects);
    } catch (error) {
      const isUnknown = isCatalogueError(error, MailErrors.sendUnknown);
      if (!isUnknown) await this.sharedFiles.removeFolder(request, folder);
      throw error;
    }
  }
}
