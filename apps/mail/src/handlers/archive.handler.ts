import { mail, type CallOf, type Handler, type MailLocation } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { MailArchive } from '../messages/mail-archive';
import { groupReferences } from './list.handler';

/** `archive`: moves mails into the archive, into folders of the years they came. */
@Handles(mail.archive)
export class ArchiveHandler implements Handler<typeof mail.archive> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly archive: MailArchive,
  ) {}

  async handle(call: CallOf<typeof mail.archive>): Promise<MailLocation[]> {
    const archived: MailLocation[] = [];
    for (const { folder, uids } of groupReferences(call.body))
      await this.mailboxes.useFolder(call, folder, {}, async (open) => {
        archived.push(...(await this.archive.archiveMails(call, open, uids)));
      });
    return archived;
  }
}
