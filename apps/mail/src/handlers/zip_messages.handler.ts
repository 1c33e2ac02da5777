import { FileReply, mail, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { createArchive, toArchiveNames } from '@groupware/file-store';
import { Handles } from '@groupware/service-kit';
import { OpenedMails } from '../downloads/opened-mails';
import { toMailFileName } from './get.handler';

/** `zip_messages`: the sources of mails as one ZIP file. */
@Handles(mail.zip_messages)
export class ZipMessagesHandler implements Handler<typeof mail.zip_messages> {
  constructor(private readonly mails: OpenedMails) {}

  async handle(call: CallOf<typeof mail.zip_messages>): Promise<FileReply> {
    const { query } = call;
    const ids = [...new Set(query.id)];
    if (ids.length === 0) throw RequestErrors.missingParameter('id');
    const opened = await this.mails.openMails(call, query.folder, ids, false);
    const names = toArchiveNames(opened.map(toMailFileName));
    const content = createArchive(
      opened.map((each, index) => ({ name: names[index]!, modified: each.received, open: () => each.readSource() })),
    );
    return new FileReply({ reference: '', name: 'mails.zip', contentType: 'application/zip' }, {}, content);
  }
}
