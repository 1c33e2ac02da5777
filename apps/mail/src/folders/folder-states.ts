import { ImapErrors, MailErrors, type MailFolderState, type UserRequest } from '@groupware/contracts';
import { findRefusal, type ImapSession } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, toMailFolderId, type MailFolder } from '../domain/mail-folder';

/** Numbers of folders, as their servers tell them without opening the folder. */
@Injectable()
export class FolderStates {
  constructor(private readonly mailboxes: Mailboxes) {}

  /** State of a folder. @throws IMAP-1002, MSG-0050 */
  async getState(request: UserRequest, id: string): Promise<MailFolderState> {
    const folder = parseMailFolder(id);
    if (folder.path === '') throw MailErrors.holdsNoMessages(id);
    return this.mailboxes.useAccount(request, folder.account, { repeatable: true }, (session) =>
      readFolderState(session, folder),
    );
  }
}

/** State of a folder of the account of a session. @throws IMAP-1002 */
export async function readFolderState(session: ImapSession, folder: MailFolder): Promise<MailFolderState> {
  try {
    // A selected folder learns of changes by other clients first.
    if (session.selected === folder.path) await session.select(folder.path);
    const { messages = 0, unseen = 0, uidNext, uidValidity } = await session.status(folder.path);
    return { validity: String(uidValidity ?? ''), total: messages, unread: unseen, next: String(uidNext ?? '') };
  } catch (error) {
    if (findRefusal(error)) throw ImapErrors.folderNotFound(toMailFolderId(folder)).with({ cause: error });
    throw error;
  }
}
