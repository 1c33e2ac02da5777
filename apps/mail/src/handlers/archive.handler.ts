import {
  mail,
  MailErrors,
  reply,
  type CallOf,
  type CatalogueError,
  type Handler,
  type MailLocation,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { toMailFolderId } from '../domain/mail-folder';
import { MailArchive } from '../messages/mail-archive';
import { workByFolder } from './list.handler';

/** Most mails that are gone of one folder that a warning names. */
const MAX_NAMED = 20;

/** `archive`: moves mails into the archive, into folders of the years they came; warns of mails that are gone. */
@Handles(mail.archive)
export class ArchiveHandler implements Handler<typeof mail.archive> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly archive: MailArchive,
  ) {}

  async handle(call: CallOf<typeof mail.archive>) {
    const archived: MailLocation[] = [];
    const missing: CatalogueError[] = [];
    const failed = await workByFolder(call.body, ({ folder, uids }) =>
      this.mailboxes.useFolder(call, folder, {}, async (open) => {
        const done = await this.archive.archiveMails(call, open, uids);
        for (const location of done.archived) archived.push(location);
        if (done.missing.length > 0)
          missing.push(MailErrors.notFound(done.missing.slice(0, MAX_NAMED).join(', '), toMailFolderId(folder)));
      }),
    );
    return reply(archived, { warnings: [...failed, ...missing] });
  }
}
