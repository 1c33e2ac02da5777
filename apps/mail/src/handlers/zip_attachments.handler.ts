import { FileReply, mail, MailErrors, type CallOf, type Handler } from '@groupware/contracts';
import { createArchive, toArchiveNames } from '@groupware/file-store';
import { listTextFiles, type PartSource } from '@groupware/mail-content';
import { Handles } from '@groupware/service-kit';
import { OpenedMails } from '../downloads/opened-mails';
import { listFileParts, PartFiles } from '../downloads/part-files';
import { VirusCheck } from '../downloads/virus-check';

/** `zip_attachments`: files of a mail as one ZIP file. */
@Handles(mail.zip_attachments)
export class ZipAttachmentsHandler implements Handler<typeof mail.zip_attachments> {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
    private readonly viruses: VirusCheck,
  ) {}

  async handle(call: CallOf<typeof mail.zip_attachments>): Promise<FileReply> {
    const { query } = call;
    const opened = await this.mails.openMail(call, query.folder, query.id, false);
    const { attachment: wanted = [] } = query;
    const ids = wanted.length > 0 ? [...new Set(wanted)] : await listFiles(opened.source);
    const found = await Promise.all(
      ids.map(async (id) => {
        const file = await this.files.findFile(opened, { id });
        if (!file) throw MailErrors.attachmentNotFound(id);
        return file;
      }),
    );
    if (query.scan) for (const file of found) await this.viruses.requireClean(file);
    const names = toArchiveNames(found.map(({ filename }) => filename));
    const content = createArchive(
      found.map(({ open }, index) => ({ name: names[index]!, modified: opened.received, open })),
    );
    return new FileReply({ reference: '', name: 'attachments.zip', contentType: 'application/zip' }, {}, content);
  }
}

async function listFiles(source: PartSource): Promise<string[]> {
  return [...(await listTextFiles(source)), ...listFileParts(source.structure).map(({ id }) => id)];
}
