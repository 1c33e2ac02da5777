import {
  mail,
  MailErrors,
  type CallOf,
  type FileReply,
  type Handler,
  type MailAttachmentQuery,
  type MailData,
} from '@groupware/contracts';
import { findPart, selectPart } from '@groupware/mail-content';
import { Pictures, toPictureReply } from '@groupware/pictures';
import { Handles } from '@groupware/service-kit';
import { MailContentReader } from '../content/mail-content-reader';
import { createMailPage } from '../downloads/html-page';
import { OpenedMails, type OpenedMail } from '../downloads/opened-mails';
import { CACHE_RULE, PartFiles } from '../downloads/part-files';
import { VirusCheck } from '../downloads/virus-check';

/** `attachment`: a file of a mail, streamed from the server. */
@Handles(mail.attachment)
export class AttachmentHandler implements Handler<typeof mail.attachment> {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
    private readonly content: MailContentReader,
    private readonly viruses: VirusCheck,
    private readonly pictures: Pictures,
  ) {}

  async handle(call: CallOf<typeof mail.attachment>): Promise<FileReply | MailData> {
    const { query, edge } = call;
    const wanted = toWanted(query);
    const isDownload = parseDelivery(query);
    const marksSeen = !query.unseen && !isDownload;
    const begun = edge?.headers.range === undefined ? query.attachment : undefined;
    const opened = await this.mails.openMail(call, query.folder, query.id, marksSeen, begun);
    const findFile = () => this.files.findFile(opened, wanted);
    const file = await findFile();
    if (!file)
      throw 'cid' in wanted ? MailErrors.pictureNotFound(wanted.cid) : MailErrors.attachmentNotFound(wanted.id);
    if (query.scan) await this.viruses.requireClean(file);
    const { part } = file;
    if (part && query.as_json && part.type === 'message/rfc822')
      return { id: part.id, ...(await this.readPart(call, opened, part.id)) };
    if (part && query.filter && !isDownload && part.type === 'text/html')
      return createMailPage({ ...(await this.readPart(call, opened, part.id)), subject: file.filename });
    // A scanned file is read once more to be sent.
    const sent = query.scan ? ((await findFile()) ?? file) : file;
    if (isDownload || !sent.type.startsWith('image/'))
      return this.files.createReply(opened, sent, edge, { inline: !isDownload });
    let isRead = false;
    const open = () => {
      isRead = true;
      return sent.open();
    };
    const shown = await this.pictures.transform({ sizeBytes: part?.size, open }, query);
    if (shown) {
      const expires = this.files.getExpiry();
      return toPictureReply(shown, { name: file.filename, cachePolicy: CACHE_RULE, expires });
    }
    return this.files.createReply(opened, isRead ? ((await findFile()) ?? file) : sent, edge, { inline: true });
  }

  private async readPart(call: CallOf<typeof mail.attachment>, opened: OpenedMail, id: string) {
    const { source, folder, uid } = opened;
    const part = findPart(source.structure, { id })!;
    const { allow_nested_messages, timezone } = call.query;
    return this.content.readParts(call, folder, uid, selectPart(source, part), {
      embedded: true,
      isMalicious: await opened.isMalicious(),
      ...(allow_nested_messages === undefined ? {} : { allow_nested_messages }),
      ...(timezone === undefined ? {} : { timezone }),
    });
  }
}

/** @throws MSG-0030 */
function toWanted({ attachment, cid }: MailAttachmentQuery): { id: string } | { cid: string } {
  if (attachment) return { id: attachment };
  if (cid) return { cid };
  throw MailErrors.missingParameter('attachment');
}

/** Whether the file is to be saved. @throws MSG-0031 */
function parseDelivery({ save, delivery }: MailAttachmentQuery): boolean {
  if (delivery !== undefined && delivery !== 'view' && delivery !== 'download')
    throw MailErrors.badParameter('delivery', delivery);
  return save === true || delivery === 'download';
}
