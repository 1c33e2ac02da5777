import type { MailLocation, UserRequest } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { selectFolder, type OpenFolder } from '../accounts/mailboxes';
import { isWithin, toMailFolderId } from '../domain/mail-folder';
import { ensureStandardFolder } from '../folders/standard-folders';
import { MailWriter } from './mail-writer';

/** Moves mails into the archive, into a folder of the year they came. */
@Injectable()
export class MailArchive {
  constructor(private readonly writer: MailWriter) {}

  /** Archives mails of the selected folder; those in the archive stay where they are. */
  async archiveMails(request: UserRequest, open: OpenFolder, uids: readonly number[]): Promise<MailLocation[]> {
    const { session, account, folder } = open;
    const archive = await ensureStandardFolder(session, account, 'archive');
    const { separator } = session;
    if (uids.length === 0 || isWithin(folder, archive, separator)) return [];
    await selectFolder(session, folder);
    const byYear = new Map<number, number[]>();
    for (const { uid, internalDate } of await session.fetch(uids, { uid: true, internalDate: true })) {
      const year = new Date(internalDate ?? 0).getUTCFullYear();
      byYear.set(year, [...(byYear.get(year) ?? []), uid]);
    }
    const archived: MailLocation[] = [];
    for (const [year, some] of byYear) {
      const target = { account: account.id, path: `${archive}${separator}${year}` };
      await session.createMailbox(target.path);
      const ids = await this.writer.moveMails(request, open, some, target);
      for (const uid of some) {
        const id = ids.get(uid);
        archived.push({ folder_id: toMailFolderId(target), ...(id ? { id: String(id) } : {}) });
      }
    }
    return archived;
  }
}
