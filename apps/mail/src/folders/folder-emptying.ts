import { MailErrors, type UserRequest } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { Mailboxes, selectFolder } from '../accounts/mailboxes';
import { toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { ALL_MAILS } from '../listing/mail-listing';
import { MailWriter } from '../messages/mail-writer';
import { findStandardFolder } from './standard-folders';

/** Empties folders. */
@Injectable()
export class FolderEmptying {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly writer: MailWriter,
  ) {}

  /** Deletes all mails of a folder; of the trash also the folders below it. */
  async emptyFolder(request: UserRequest, folder: MailFolder, hard: boolean): Promise<void> {
    if (folder.path === '') throw MailErrors.holdsNoMessages(toMailFolderId(folder));
    await this.mailboxes.useFolder(request, folder, {}, async (open) => {
      const { session, account } = open;
      const uids = await session.listUids(ALL_MAILS);
      if (uids.length > 0) await this.writer.deleteMails(open, uids, hard);
      const listed = await session.listMailboxes(false);
      if (findStandardFolder(listed, account, 'trash')?.path !== folder.path) return;
      const below = listed
        .filter(({ path, delimiter }) => path.startsWith(`${folder.path}${delimiter}`))
        .sort((a, b) => b.path.length - a.path.length);
      for (const { path } of below) await session.deleteMailbox(path);
      await selectFolder(session, folder);
    });
  }
}
