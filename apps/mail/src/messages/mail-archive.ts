import { groupBy, type MailLocation, type UserRequest } from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { selectFolder, type OpenFolder } from '../accounts/mailboxes';
import { isWithin, toMailFolderId } from '../domain/mail-folder';
import { ensureStandardFolder } from '../folders/standard-folders';
import { MailWriter } from './mail-writer';

/** Most mails whose days are read, and that are moved, at a time. */
const BLOCK = 1_000;

/** Outcome of archiving mails. */
export interface ArchivedMails {
  /** Places of the mails in the archive. */
  readonly archived: MailLocation[];
  /** UIDs of those that were gone before. */
  readonly missing: readonly number[];
}

/** Moves mails into the archive, into a folder of the year they came. */
@Injectable()
export class MailArchive {
  constructor(
    private readonly writer: MailWriter,
    private readonly clock: Clock,
  ) {}

  /**
   * Archives mails of the selected folder; those in the archive stay where they are. Mails whose server does not tell when they
   * came go to the current year.
   */
  async archiveMails(request: UserRequest, open: OpenFolder, uids: readonly number[]): Promise<ArchivedMails> {
    const archived: MailLocation[] = [];
    const missing: number[] = [];
    if (uids.length === 0) return { archived, missing };
    const { session, account, folder } = open;
    const archive = await ensureStandardFolder(session, account, 'archive');
    const { separator } = session;
    if (isWithin(folder, archive, separator)) return { archived, missing };
    await selectFolder(session, folder);
    const made = new Set<string>();
    for (let index = 0; index < uids.length; index += BLOCK) {
      const block = uids.slice(index, index + BLOCK);
      const found = await session.fetch(block, { uid: true, internalDate: true });
      const known = new Set(found.map(({ uid }) => uid));
      missing.push(...block.filter((uid) => !known.has(uid)));
      const byYear = groupBy(
        found,
        ({ internalDate }) => new Date(internalDate ?? this.clock.now()).getUTCFullYear(),
        ({ uid }) => uid,
      );
      for (const [year, some] of byYear) {
        const target = { account: account.id, path: `${archive}${separator}${year}` };
        if (!made.has(target.path)) await session.createMailbox(target.path);
        made.add(target.path);
        const ids = await this.writer.moveMails(request, open, some, target);
        for (const uid of some) {
          const id = ids.get(uid);
          archived.push({ folder_id: toMailFolderId(target), ...(id ? { id: String(id) } : {}) });
        }
      }
    }
    return { archived, missing };
  }
}
