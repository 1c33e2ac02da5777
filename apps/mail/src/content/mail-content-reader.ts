import {
  BODY_DISPLAY_LIMIT,
  ComposeErrors,
  IMAGE_HOST,
  MailErrors,
  type MailData,
  type MailGetQuery,
  type UserRequest,
} from '@groupware/contracts';
import { ContentWorkers, readMail, type PartSource, type ReadOptions } from '@groupware/mail-content';
import { BasePathSettings, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { FetchMessageObject, FetchQueryObject } from 'imapflow';
import { MailPreferences } from '../accounts/mail-preferences';
import type { OpenFolder } from '../accounts/mailboxes';
import { toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { zoneOf } from '../domain/request-zone';
import { fetchFrom, ImapPartSource, openParts } from './imap-part-source';
import { MaliciousFolders } from './malicious-folders';

const VIEWS = new Set<string>(['html', 'noimg', 'text', 'textNoHtmlAttach', 'raw'] satisfies ReadOptions['view'][]);
/** A smaller max_size is raised to this, characters. */
const MIN_BODY_LENGTH = 10_240;

/** How a mail is shown, as requests of it say. */
export type MailViewQuery = Omit<MailGetQuery, 'folder' | 'id'> & {
  /** Beginning of addresses of pictures of the mail, before their Content-ID; default: those that show them. */
  readonly cidUrlPrefix?: string;
  /** The text is quoted or edited: it stays as it was written. */
  readonly isQuoted?: boolean;
  /** No mail is better than one whose text is missing. */
  readonly requiresText?: boolean;
  /** Links lose their address. */
  readonly isMalicious?: boolean;
};

/** Facts that the content of a mail is read from, beside its parts. */
export const CONTENT_FIELDS: FetchQueryObject = { bodyStructure: true, headers: true };

/** Reads the content of mails as a view shows it. */
@Injectable()
export class MailContentReader {
  private readonly basePath: string;

  constructor(
    private readonly workers: ContentWorkers,
    private readonly properties: Properties,
    private readonly malicious: MaliciousFolders,
    private readonly preferences: MailPreferences,
    base: BasePathSettings,
  ) {
    this.basePath = base.basePaths()[0] ?? '';
  }

  /** Text, files and headers of a mail of the selected folder, and whether it is malicious. @throws MSG-0031 for an unknown view or zone */
  async readContent(
    request: UserRequest,
    open: OpenFolder,
    message: FetchMessageObject,
    query: MailViewQuery,
  ): Promise<MailData> {
    const { session, folder } = open;
    const isMalicious = await this.malicious.includes(request.principal, open);
    const source = await openParts(new ImapPartSource(message, fetchFrom(session, message.uid, folder)));
    const mail = await this.readParts(request, folder, message.uid, source, { ...query, isMalicious });
    return isMalicious ? { ...mail, malicious: true } : mail;
  }

  /** Text, files and headers of a mail, or of a part of one, by its parts. @throws MSG-0031 for an unknown view or zone, MSGCS-0014 */
  async readParts(
    request: UserRequest,
    folder: MailFolder,
    uid: number,
    source: PartSource,
    query: MailViewQuery,
  ): Promise<MailData> {
    const { principal } = request;
    const zone = zoneOf(principal, query.timezone);
    // Most mails are HTML: what the user chose for texts is asked for once there is one.
    let colorsQuotes: Promise<boolean> | undefined;
    const colorQuotes = () => (colorsQuotes ??= this.preferences.colorsQuotes(request));
    const maxBodyBytes = await this.properties.get(BODY_DISPLAY_LIMIT, principal);
    const host = (await this.properties.get(IMAGE_HOST, principal)).replace(/\/$/, '');
    const picture = new URLSearchParams({ folder: toMailFolderId(folder), id: String(uid) });
    const { mail, failures } = await readMail(source, this.workers, {
      ...toReadOptions(query),
      colorQuotes,
      maxBodyBytes,
      toLocalTime: (instant) => zone.instantToLocal(instant),
      cidUrlPrefix: query.cidUrlPrefix ?? `${host}${this.basePath}/image/mail/picture?${picture}&uid=`,
    });
    // A user who goes on writing it would lose the text of a mail that is there.
    if (query.requiresText && failures.length > 0) throw ComposeErrors.notOpened(failures.join());
    return mail;
  }
}

/** How a request wants a mail. @throws MSG-0031 */
function toReadOptions(query: MailViewQuery): ReadOptions {
  const { view = 'noimg', max_size: maxSize } = query;
  if (!VIEWS.has(view)) throw MailErrors.badParameter('view', view);
  return {
    view: (view === 'noimg' && query.forceImages ? 'html' : view) as ReadOptions['view'],
    embedded: query.embedded === true,
    isPlainTextRaw: query.edit === true || query.process_plain_text === false,
    appendsPictures: query.isQuoted !== true && query.edit !== true,
    exactSizes: query.exact_length === true || query.estimate_length === false,
    neutralizeLinks: query.isMalicious === true,
    nestedMessages: query.no_nested_message !== true && query.allow_nested_messages !== false,
    ...(maxSize ? { maxLength: Math.max(maxSize, MIN_BODY_LENGTH) } : {}),
  };
}
