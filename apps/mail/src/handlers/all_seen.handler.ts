import { mail, type CallOf, type Handler } from '@groupware/contracts';
import { atom } from '@groupware/mail-access';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder } from '../domain/mail-folder';

/** `all_seen`: marks every mail of a folder as read. */
@Handles(mail.all_seen)
export class AllSeenHandler implements Handler<typeof mail.all_seen> {
  constructor(private readonly mailboxes: Mailboxes) {}

  async handle(call: CallOf<typeof mail.all_seen>): Promise<boolean> {
    await this.mailboxes.useFolder(
      call,
      parseMailFolder(call.query.folder),
      { repeatable: true },
      async ({ session }) => session.store(await session.listUids([atom('UNSEEN')]), 'add', ['\\Seen']),
    );
    return true;
  }
}
