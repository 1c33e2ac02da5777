import {
  isCatalogueError,
  MailErrors,
  mailScheduling,
  UploadErrors,
  type CallOf,
  type Handler,
  type MailCalendarFile,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Handles } from '@groupware/service-kit';
import { Inject } from '@nestjs/common';
import { OpenedMails } from '../downloads/opened-mails';
import { PartFiles } from '../downloads/part-files';

/** `mail-scheduling.keepFiles`: files of a mail that its calendar names. */
@Handles(mailScheduling.keepFiles)
export class KeepCalendarFilesHandler implements Handler<typeof mailScheduling.keepFiles> {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  async handle({ principal, query, ...call }: CallOf<typeof mailScheduling.keepFiles>): Promise<MailCalendarFile[]> {
    const { folder, id, contentIds, maxBytes } = query;
    const user = 'user' in principal ? principal.user : undefined;
    if (!user) throw MailErrors.notFound(id, folder);
    const mail = await this.mails.openMail({ ...call, principal: user }, folder, id, false);
    const kept: MailCalendarFile[] = [];
    let room = maxBytes;
    try {
      for (const contentId of contentIds) {
        const file = await this.files.findFile(mail, { cid: contentId });
        if (!file) continue;
        const stored = await this.write(file.open(), room, user.contextId);
        if (!stored) continue;
        room -= stored.sizeBytes;
        kept.push({ contentId, name: file.filename, contentType: file.type, ...stored });
      }
      return kept;
    } catch (error) {
      await Promise.allSettled(kept.map(({ reference }) => this.store.discard(reference)));
      throw error;
    }
  }

  /** Undefined for what does not fit. */
  private async write(content: AsyncIterable<Uint8Array>, maxBytes: number, contextId: number) {
    try {
      return await this.store.write(content, { maxBytes, contextId });
    } catch (error) {
      if (isCatalogueError(error, UploadErrors.tooLarge)) return undefined;
      throw error;
    }
  }
}
