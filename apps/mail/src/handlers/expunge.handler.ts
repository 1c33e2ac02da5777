import { CatalogueError, mail, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder } from '../domain/mail-folder';

/** `expunge`: removes the mails of folders that are marked as deleted; answers the folders where that failed. */
@Handles(mail.expunge)
export class ExpungeHandler implements Handler<typeof mail.expunge> {
  constructor(private readonly mailboxes: Mailboxes) {}

  async handle(call: CallOf<typeof mail.expunge>) {
    const failed = new Map<string, CatalogueError>();
    for (const id of new Set(call.body))
      try {
        await this.mailboxes.useFolder(call, parseMailFolder(id), {}, ({ session }) => session.expunge());
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        failed.set(id, error);
      }
    return reply([...failed.keys()], { warnings: [...failed.values()] });
  }
}
