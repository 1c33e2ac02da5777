import {
  FileReply,
  ImapErrors,
  isCatalogueError,
  mail,
  MAIL_FLAGS,
  MailErrors,
  type CallOf,
  type Handler,
  type MailData,
} from '@groupware/contracts';
import { atom } from '@groupware/mail-access';
import { decodeCharset } from '@groupware/mail-content';
import { Handles } from '@groupware/service-kit';
import { MailPreferences } from '../accounts/mail-preferences';
import { Mailboxes, type OpenFolder } from '../accounts/mailboxes';
import { CONTENT_FIELDS, MailContentReader } from '../content/mail-content-reader';
import { createMailPage, createMissingPage } from '../downloads/html-page';
import { OpenedMails, type OpenedMail } from '../downloads/opened-mails';
import { toFileName } from '../domain/file-name';
import { parseMailFolder } from '../domain/mail-folder';
import { HEADER_COLUMNS } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';
import { ReadMailNotice } from '../messages/read-mail-notice';
import { MailCells, planFetch } from '../messages/mail-view';
import { requireMail } from './update.handler';

type GetCall = CallOf<typeof mail.get>;

/** `get`: a mail as a view shows it, its headers, or its source. Reading it marks it as read. */
@Handles(mail.get)
export class GetHandler implements Handler<typeof mail.get> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly rows: MailRows,
    private readonly content: MailContentReader,
    private readonly mails: OpenedMails,
    private readonly preferences: MailPreferences,
    private readonly notice: ReadMailNotice,
  ) {}

  async handle(call: GetCall): Promise<MailData | string | FileReply> {
    const { query } = call;
    if (query.src && query.save) {
      const opened = await this.mails.openMail(call, query.folder, await this.findId(call), !query.unseen);
      const name = toMailFileName(opened);
      return new FileReply({ reference: '', name, contentType: 'application/octet-stream' }, {}, opened.readSource());
    }
    if (query.view === 'document') return this.readPage(call);
    if (query.view !== undefined || query.hdr || query.src) return this.readOne(call);
    return this.readOne({ ...call, query: { ...query, view: await this.findView(call) } });
  }

  /** The view that the user chose. */
  private async findView(call: GetCall): Promise<'text' | 'html' | 'noimg'> {
    const [isText, hasPictures] = await Promise.all([
      this.preferences.usesPlainText(call),
      this.preferences.showsPictures(call),
    ]);
    return isText ? 'text' : hasPictures ? 'html' : 'noimg';
  }

  /** The id of the mail, which may be named by its header Message-ID. @throws MSG-0032, SVL-0002 */
  private async findId(call: GetCall): Promise<string> {
    const { query } = call;
    if (query.id !== undefined) return query.id;
    const find = async ({ session }: OpenFolder) => String(await requireMail(session, query));
    return this.mailboxes.useFolder(call, parseMailFolder(query.folder), { repeatable: true }, find);
  }

  /** The mail as a page; what is missing is told by a page, too. */
  private async readPage(call: GetCall): Promise<FileReply> {
    const { query } = call;
    const view = query.forceImages ? 'html' : 'noimg';
    try {
      const found = await this.readOne({ ...call, query: { ...query, view, embedded: true, hdr: false, src: false } });
      return createMailPage(typeof found === 'string' ? {} : found);
    } catch (error) {
      const isMissing = isCatalogueError(error, MailErrors.notFound, ImapErrors.folderNotFound);
      if (isMissing) return createMissingPage('This mail was moved or deleted.');
      throw error;
    }
  }

  private async readOne(call: GetCall): Promise<MailData | string> {
    const { query } = call;
    const found = await this.mailboxes.useFolder(
      call,
      parseMailFolder(query.folder),
      { repeatable: true },
      async (open) => {
        const { session } = open;
        const uid = await requireMail(session, query);
        const found = query.hdr || query.src ? await readBytes(open, uid, call) : await this.readMail(call, open, uid);
        if (query.unseen || session.isReadOnly) return found;
        await session.store([uid], 'add', ['\\Seen']);
        if (typeof found === 'string' || !found.unseen) return found;
        return { ...found, unread: (await session.listUids([atom('UNSEEN')])).length };
      },
    );
    const isFirst = typeof found !== 'string' && found.unseen === true && ((found.flags ?? 0) & MAIL_FLAGS.seen) !== 0;
    if (isFirst) await this.notice.publish(call.principal, found);
    return found;
  }

  private async readMail(call: GetCall, open: OpenFolder, uid: number): Promise<MailData> {
    const { query } = call;
    const { session, account, folder } = open;
    const context = await this.rows.getContext(call, account, folder, query.timezone);
    const [message] = await session.fetch([uid], { ...planFetch(HEADER_COLUMNS), ...CONTENT_FIELDS });
    if (!message) throw MailErrors.notFound(String(uid), query.folder);
    // An editor gets a draft with the pictures that its writer put there: what it does not get is lost once it saves.
    const isEdited = query.edit === true && message.flags?.has('\\Draft') === true;
    const shownAs = { ...query, ...(isEdited && query.view === 'noimg' ? { view: 'html' } : {}) };
    const content = await this.content.readContent(call, open, message, shownAs);
    const acceptsKeywords = session.mailbox.permanentFlags?.has('\\*') ?? false;
    const cells = new MailCells(message, context, acceptsKeywords, undefined);
    // The number of unread mails is told where it was changed.
    const { unread: _unknown, ...fields } = cells.toObject(HEADER_COLUMNS);
    const isRead = cells.isSeen || (!query.unseen && !session.isReadOnly);
    // Whether the reader wants to tell of it is asked once. Who goes on writing a draft gets what it says.
    const isAsked = !cells.isSeen || cells.isDraft;
    const { disp_notification_to: receiptTo, ...shown } = content;
    const source = query.attach_src ? { source: await readBytes(open, uid, call) } : {};
    return {
      ...shown,
      ...(receiptTo !== undefined && isAsked ? { disp_notification_to: receiptTo } : {}),
      ...fields,
      // The place of a draft, which what its editor saves takes, whatever mail it answers.
      ...(query.edit && cells.isDraft ? { msgref: cells.path } : {}),
      flags: (fields.flags ?? 0) | (isRead ? MAIL_FLAGS.seen : 0),
      unseen: !cells.isSeen,
      ...(cells.authenticity ? { authenticity: cells.authenticity } : {}),
      ...source,
    };
  }
}

/** Name of the file of a mail: its subject. */
export const toMailFileName = ({ subject }: OpenedMail): string => `${toFileName(subject) || 'mail'}.eml`;

/** The headers of a mail with `hdr`, else its source. */
async function readBytes({ session }: OpenFolder, uid: number, { query }: GetCall): Promise<string> {
  const [message] = await session.fetch([uid], { uid: true, ...(query.hdr ? { headers: true } : { source: true }) });
  const bytes = message && (query.hdr ? message.headers : message.source);
  if (!bytes) throw MailErrors.notFound(String(uid), query.folder);
  return decodeCharset(bytes, undefined);
}
