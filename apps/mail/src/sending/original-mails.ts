import { isCatalogueError, MailErrors, type MailData, type NestedMail, type UserRequest } from '@groupware/contracts';
import {
  createThreadHeaders,
  escapeHtml,
  joinMailHtml,
  MailHeaders,
  MessageError,
  openAttachment,
  readThreadHeaders,
  type MailThreadHeaders,
  type OriginalMail,
} from '@groupware/mail-content';
import { Injectable } from '@nestjs/common';
import type { FetchMessageObject } from 'imapflow';
import { Mailboxes, type OpenFolder } from '../accounts/mailboxes';
import { fetchFrom, ImapPartSource, openParts } from '../content/imap-part-source';
import { CONTENT_FIELDS, MailContentReader, type MailViewQuery } from '../content/mail-content-reader';
import { toFileName } from '../domain/file-name';
import { toMailFolderId } from '../domain/mail-folder';
import type { MailPlace } from '../domain/mail-path';
import { findStandardFolder } from '../folders/standard-folders';
import { OutgoingFiles, type OutgoingFile } from './outgoing-files';

/** A mail that is answered, forwarded or edited. */
export interface ReadOriginal extends OriginalMail {
  /** As `get` tells it; `attachments` without the text. */
  readonly mail: MailData;
  readonly files: NonNullable<MailData['attachments']>;
  /** Mails within it. */
  readonly messages: readonly NestedMail[];
  readonly place: MailPlace;
  readonly isDraft: boolean;
  /** Login of the user in whose mailbox it is, where that is another one. */
  readonly ownerLogin?: string | undefined;
}

/** Language, as a BCP 47 tag, and zone of the texts that are made for a user. */
export const localeOf = ({ principal }: UserRequest) => ({
  locale: principal.locale.replace('_', '-'),
  timeZone: principal.timeZone,
});

/** A part of a mail that goes along with another one. */
export interface WantedPart {
  /** Part number; absent: the whole mail. */
  readonly part?: string;
  /** Content-ID instead of the number. */
  readonly cid?: string;
}

/** Reads mails that others refer to. */
@Injectable()
export class OriginalMails {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly content: MailContentReader,
    private readonly files: OutgoingFiles,
  ) {}

  /**
   * Reads headers and text.
   * @param view text or html; default: as the mail has it
   * @param embedded true where HTML is quoted within another text: without a page, its styles restricted to it
   * @throws MSG-0032, MSG-0031
   */
  async readOriginal(
    request: UserRequest,
    place: MailPlace,
    {
      view,
      maxSize,
      ...others
    }: { readonly view?: string; readonly maxSize?: number } & Pick<
      MailViewQuery,
      'cidUrlPrefix' | 'embedded' | 'requiresText'
    > = {},
  ): Promise<ReadOriginal> {
    if (view !== undefined && view !== 'text' && view !== 'html') throw MailErrors.badParameter('view', view);
    return this.useMail(request, place, async (open, message) => {
      const { session, account, folder } = open;
      const listed = await session.listMailboxes(false);
      const isOwn = (['sent', 'drafts'] as const).some(
        (role) => findStandardFolder(listed, account, role)?.path === folder.path,
      );
      await session.select(folder.path);
      const mail = await this.content.readContent(request, open, message, {
        view: view ?? 'html',
        edit: view !== 'html',
        isQuoted: true,
        max_size: maxSize,
        ...others,
      });
      const parts = mail.attachments ?? [];
      const texts = parts.filter(isText);
      return {
        headers: new MailHeaders(message.headers),
        body: joinTexts(texts, view),
        isOwn,
        mail,
        files: parts.filter((part) => !isText(part) && part.disp !== 'alternative'),
        messages: mail.nested_msgs ?? [],
        place,
        isDraft: message.flags?.has('\\Draft') === true,
        ownerLogin: session.findOwner(folder.path),
      };
    });
  }

  /** Headers by which an answer refers to a mail; undefined when it is gone. */
  async findThread(request: UserRequest, place: MailPlace): Promise<MailThreadHeaders | undefined> {
    try {
      return await this.useMail(request, place, async (_open, { headers }) =>
        createThreadHeaders(new MailHeaders(headers)),
      );
    } catch {
      return undefined;
    }
  }

  /** Headers of a draft; undefined when it is gone, and for a mail that is none. */
  async findDraftHeaders(request: UserRequest, place: MailPlace): Promise<MailHeaders | undefined> {
    try {
      return await this.useMail(request, place, async (_open, { flags, headers }) =>
        flags?.has('\\Draft') ? new MailHeaders(headers) : undefined,
      );
    } catch {
      return undefined;
    }
  }

  /** Headers by which a draft refers to what it answers; undefined when it is gone, and without them. */
  async findDraftThread(request: UserRequest, place: MailPlace): Promise<MailThreadHeaders | undefined> {
    const headers = await this.findDraftHeaders(request, place);
    return headers && readThreadHeaders(headers);
  }

  /** Keeps parts of a mail, to be sent along. @throws MSG-0067 when the mail or a part is gone */
  async keepParts(request: UserRequest, place: MailPlace, wanted: readonly WantedPart[]): Promise<OutgoingFile[]> {
    const kept: OutgoingFile[] = [];
    try {
      await this.useMail(request, place, async (open, message) => {
        for (const each of wanted) kept.push(await this.keepPart(request, open, message, each));
      });
      return kept;
    } catch (error) {
      await this.files.discardFiles(kept);
      if (error instanceof MessageError || isCatalogueError(error, MailErrors.notFound))
        throw MailErrors.originalGone(place.uid, toMailFolderId(place.folder)).with({ cause: error });
      throw error;
    }
  }

  private async keepPart(
    request: UserRequest,
    { session, folder }: OpenFolder,
    message: FetchMessageObject,
    { part, cid }: WantedPart,
  ): Promise<OutgoingFile> {
    const { principal } = request;
    if (part === undefined && cid === undefined) {
      const subject = new MailHeaders(message.headers).getText('subject');
      const [whole] = await session.fetch([message.uid], { uid: true, source: true });
      return this.files.keepFile(
        principal,
        (async function* () {
          yield whole?.source ?? Buffer.alloc(0);
        })(),
        { name: `${toFileName(subject) || 'mail'}.eml`, type: 'message/rfc822' },
      );
    }
    const source = await openParts(new ImapPartSource(message, fetchFrom(session, message.uid, folder)));
    const opened = await openAttachment(source, cid === undefined ? { id: part! } : { cid });
    return this.files.keepFile(principal, opened.content, { name: opened.filename, type: opened.type });
  }

  private useMail<T>(
    request: UserRequest,
    { folder, uid }: MailPlace,
    work: (open: OpenFolder, message: FetchMessageObject) => Promise<T>,
  ): Promise<T> {
    return this.mailboxes.useFolder(request, folder, { repeatable: true }, async (open) => {
      const [message] = await open.session.fetch([uid], { uid: true, flags: true, ...CONTENT_FIELDS });
      if (!message) throw MailErrors.notFound(uid, toMailFolderId(folder));
      return work(open, message);
    });
  }
}

type MailPart = NonNullable<MailData['attachments']>[number];

/** Whether a part is text of the mail, not a file. */
const isText = ({ disp, content_type: type, content }: MailPart): boolean =>
  disp === 'inline' && typeof content === 'string' && /^text\/(plain|html)$/.test(type ?? '');

/** The text of a mail, of which some, with a file between, have several parts; shown as HTML where one of them is. */
function joinTexts(texts: readonly MailPart[], view: string | undefined): OriginalMail['body'] {
  const isHtml = view === 'html' || texts.some(({ content_type: type }) => type === 'text/html');
  const [first = '', ...others] = texts.map(({ content_type: type, content }) =>
    isHtml && view !== 'html' && type === 'text/plain' ? toHtml(content ?? '') : (content ?? ''),
  );
  if (isHtml) return { type: 'text/html', content: joinMailHtml(first, ...others) };
  return { type: 'text/plain', content: [first, ...others].join('\n') };
}

const toHtml = (text: string): string => escapeHtml(text).replace(/\r?\n/g, '<br>');
