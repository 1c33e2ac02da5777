import { createHash } from 'node:crypto';
import { MailErrors, type UserRequest } from '@groupware/contracts';
import type { MailboxAccess } from '@groupware/contracts';
import { findRefusal, type ImapSession } from '@groupware/mail-access';
import { MailHeaders, type PartSource } from '@groupware/mail-content';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { FetchMessageObject } from 'imapflow';
import { Mailboxes, selectFolder } from '../accounts/mailboxes';
import { MaliciousFolders } from '../content/malicious-folders';
import {
  fetchFrom,
  FIRST_BLOCK_BYTES,
  ImapPartSource,
  openParts,
  readSource,
  type MessageFetch,
} from '../content/imap-part-source';
import { CONTENT_FIELDS } from '../content/mail-content-reader';
import { parseMailFolder, parseMailId, toMailFolderId, type MailFolder } from '../domain/mail-folder';

/** A mail whose parts are read while they are sent: a connection is used for each block, and held by no slow client. */
export interface OpenedMail {
  readonly uid: number;
  readonly folder: MailFolder;
  readonly account: MailboxAccess;
  readonly source: PartSource;
  readonly subject: string;
  /** ms UTC; 0 when the server does not tell. */
  readonly received: number;
  /** Names these bytes for this user as long as the folder lives, for conditions of HTTP. */
  tagOf(part: string): string;
  /** Whether it lies where malicious mails lie. */
  isMalicious(): Promise<boolean>;
  /** The whole mail as it came. */
  readSource(): AsyncGenerator<Buffer>;
}

/** A mail of whose parts no more is known than its server tells. */
type UnreadMail = OpenedMail & { readonly source: ImapPartSource };

/** Opens mails for downloads. */
@Injectable()
export class OpenedMails {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly malicious: MaliciousFolders,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens mails of a folder in their order.
   * @param part number of the part that will be read: its first bytes come in the same round trip
   * @throws MSG-0032 for the first one that is missing
   */
  async openMails(
    request: UserRequest,
    folderId: string,
    ids: readonly string[],
    marksSeen: boolean,
    part?: string,
  ): Promise<UnreadMail[]> {
    const begun = part !== undefined && PART_NUMBER.test(part) ? part : undefined;
    const folder = parseMailFolder(folderId);
    // Slow clients read for longer than any call may take: each block has the time of a call.
    const patienceMs = request.deadline - this.clock.now();
    return this.mailboxes.useFolder(request, folder, { repeatable: true }, async ({ session, account }) => {
      const uids = ids.map((id) => {
        const uid = parseMailId(id);
        if (uid === undefined) throw MailErrors.notFound(id, folderId);
        return uid;
      });
      const found = await fetchOpened(session, uids, begun);
      const byUid = new Map(found.map((message) => [message.uid, message]));
      const { uidValidity: validity } = session.mailbox;
      const opened = uids.map((uid): UnreadMail => {
        const message = byUid.get(uid);
        if (!message) throw MailErrors.notFound(String(uid), folderId);
        const fetch: MessageFetch = (query) => {
          const now = { ...request, deadline: this.clock.now() + patienceMs };
          return this.mailboxes.useFolder(now, folder, { repeatable: true, validity }, async (open) => {
            const [found] = await open.session.fetch([uid], query);
            if (found) return found;
            // A session that selected the folder before the mail came does not know it.
            await selectFolder(open.session, folder);
            return fetchFrom(open.session, uid, folder)(query);
          });
        };
        const { contextId, userId } = request.principal;
        const owner = [contextId, userId, account.id, toMailFolderId(folder), String(validity), uid];
        return {
          uid,
          folder,
          account,
          source: new ImapPartSource(message, fetch, begun),
          subject: new MailHeaders(message.headers).getText('subject') ?? '',
          received: message.internalDate ? new Date(message.internalDate).getTime() : 0,
          tagOf: (part) =>
            `"${createHash('sha256')
              .update(JSON.stringify([...owner, part]))
              .digest('hex')
              .slice(0, 32)}"`,
          isMalicious: () => {
            const includes = (session: ImapSession) =>
              this.malicious.includes(request.principal, { session, account, folder });
            return this.mailboxes.useAccount(request, folder.account, { repeatable: true }, includes);
          },
          readSource: () => readSource(fetch),
        };
      });
      if (marksSeen && !session.isReadOnly) await session.store(uids, 'add', ['\\Seen']);
      return opened;
    });
  }

  /** Opens one mail. @throws MSG-0032 */
  async openMail(
    request: UserRequest,
    folderId: string,
    id: string,
    marksSeen: boolean,
    part?: string,
  ): Promise<OpenedMail> {
    const [opened] = await this.openMails(request, folderId, [id], marksSeen, part);
    return { ...opened!, source: await openParts(opened!.source) };
  }
}

/** Numbers of parts as servers have them (RFC 9051, section 6.4.5.1); nothing else may get into a command. */
const PART_NUMBER = /^[1-9]\d{0,3}(\.[1-9]\d{0,3}){0,19}$/;

/** Facts of mails, and the first bytes of a part where one is named. */
async function fetchOpened(
  session: ImapSession,
  uids: readonly number[],
  part: string | undefined,
): Promise<FetchMessageObject[]> {
  const query = { uid: true, internalDate: true, ...CONTENT_FIELDS };
  if (part === undefined) return session.fetch(uids, query);
  try {
    const block = { key: part, start: 0, maxLength: FIRST_BLOCK_BYTES };
    return await session.fetch(uids, { ...query, bodyParts: [block] });
  } catch (error) {
    // A server may refuse a part that the mail does not have.
    if (!findRefusal(error)) throw error;
    return session.fetch(uids, query);
  }
}
