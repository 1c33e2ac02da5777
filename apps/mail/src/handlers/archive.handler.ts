import { mail, reply, type CallOf, type Handler, type MailLocation } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { MailArchive } from '../messages/mail-archive';
import { workByFolder } from './list.handler';

/** `archive`: moves mails into the archive, into folders of the years they came. */
@Handles(mail.archive)
export class ArchiveHandler implements Handler<typeof mail.archive> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly archive: MailArchive,
  ) {}

  async handle(call: CallOf<typeof mail.archive>) {
    const archived: MailLocation[] = [];
    const warnings = await workByFolder(call.body, ({ folder, uids }) =>
      this.mailboxes.useFolder(call, folder, {}, async (open) => {
        archived.push(...(await this.archive.archiveMails(call, open, uids)));
      }),
    );
    return reply(archived, { warnings });
  }
}
