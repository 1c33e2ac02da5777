import { buffer } from 'node:stream/consumers';
import { randomUUID } from 'node:crypto';
import { MailErrors, type MailAddress, type UserRequest } from '@groupware/contracts';
import { MailHeaders } from '@groupware/mail-content';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { readSource, toHeaderBlock, withHeader, type MailSource } from '../domain/mail-source';
import { MailSending } from './mail-sending';
import { OutgoingFiles, type OutgoingFile } from './outgoing-files';
import { Senders, type Sender } from './senders';

/** A mail that came as its source. */
export interface ImportedMail {
  readonly source: MailSource;
  readonly headers: MailHeaders;
  readonly sender: Sender;
}

/** Reads mails that come as their source. */
@Injectable()
export class ImportedMails {
  constructor(
    private readonly senders: Senders,
    private readonly files: OutgoingFiles,
    private readonly sending: MailSending,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads a mail; without an author, it gets the user.
   * @param force true takes any author
   * @throws MSG-0101 for what is no mail, MSG-0056 for authors who are not the user, MSG-0088
   */
  async readMail(request: UserRequest, file: OutgoingFile, force: boolean): Promise<ImportedMail> {
    await this.sending.requireSize(request.principal, file.sizeBytes);
    const source = await readSource(await buffer(this.files.openFile(file)));
    const headers = new MailHeaders(toHeaderBlock(source));
    const authors = headers.getAddresses('from');
    if (authors.length > 0) {
      const sender = force
        ? await this.senders.resolveSender(request, undefined)
        : await this.requireOwn(request, authors);
      return { source, headers, sender };
    }
    const sender = await this.senders.resolveSender(request, undefined);
    return { source: withHeader(source, `From: <${sender.from[1]}>`), headers, sender };
  }

  /** Adds what a mail needs to be sent. */
  complete({ source, headers, sender }: ImportedMail): MailSource {
    const domain = sender.from[1].slice(sender.from[1].lastIndexOf('@') + 1);
    let complete = source;
    if (!headers.getRaw('message-id')) complete = withHeader(complete, `Message-ID: <${randomUUID()}@${domain}>`);
    if (!headers.getRaw('date')) {
      const date = new Date(this.clock.now()).toUTCString().replace('GMT', '+0000');
      complete = withHeader(complete, `Date: ${date}`);
    }
    return headers.getRaw('mime-version') ? complete : withHeader(complete, 'MIME-Version: 1.0');
  }

  private async requireOwn(request: UserRequest, authors: readonly MailAddress[]): Promise<Sender> {
    const senders: Sender[] = [];
    for (const author of authors) senders.push(await this.senders.resolveSender(request, author));
    const [first] = senders;
    if (!first) throw MailErrors.senderNotAllowed('');
    return first;
  }
}
