import { mail, type CallOf, type Handler, type MailLocation } from '@groupware/contracts';
import { Clock, Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder } from '../domain/mail-folder';
import { receivedBefore } from '../domain/search-term';
import { MailArchive } from '../messages/mail-archive';

const DEFAULT_DAYS = 90;
const DAY_MS = 86_400_000;

/** `archive_folder`: archives the old mails of a folder. */
@Handles(mail.archive_folder)
export class ArchiveFolderHandler implements Handler<typeof mail.archive_folder> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly archive: MailArchive,
    private readonly clock: Clock,
  ) {}

  handle(call: CallOf<typeof mail.archive_folder>): Promise<MailLocation[]> {
    const { folder, days = DEFAULT_DAYS } = call.query;
    const time = this.clock.now() - days * DAY_MS;
    return this.mailboxes.useFolder(call, parseMailFolder(folder), {}, async (open) => {
      const uids = await open.session.listUids(receivedBefore(time));
      // Of a whole folder, those that others took away meanwhile are not missed.
      return (await this.archive.archiveMails(call, open, uids)).archived;
    });
  }
}
