import {
  AUTHENTICITY_THRESHOLD,
  MAIL_AUTHENTICITY,
  MAX_MAIL_ROWS,
  PREFER_SENT_DATE,
  TRUSTED_AUTH_SERVERS,
  TRUSTED_MAIL_SENDERS,
  type MailboxAccess,
  type MailData,
  type UserRequest,
} from '@groupware/contracts';
import { pauseAfterTurn, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { OpenFolder } from '../accounts/mailboxes';
import { toAuthenticityRules, type AuthenticityRules } from '../domain/mail-authenticity';
import type { MailFolder } from '../domain/mail-folder';
import { zoneOf } from '../domain/request-zone';
import type { ListedMail } from '../listing/mail-listing';
import type { MailColumn } from './mail-columns';
import { MailPreviews } from './mail-previews';
import { MailCells, planFetch, type MailViewContext } from './mail-view';

/** Builds rows of mails. */
@Injectable()
export class MailRows {
  constructor(
    private readonly properties: Properties,
    private readonly previews: MailPreviews,
  ) {}

  /** Most rows of one answer. */
  getMaxRows({ principal }: UserRequest): Promise<number> {
    return this.properties.get(MAX_MAIL_ROWS, principal);
  }

  /** Surroundings of the mails of a folder. @throws MSG-0031 for an unknown zone */
  async getContext(
    { principal }: UserRequest,
    account: MailboxAccess,
    folder: MailFolder,
    timeZone: string | undefined,
  ): Promise<MailViewContext> {
    return {
      folder,
      accountName: account.name,
      zone: zoneOf(principal, timeZone),
      prefersSentDate: await this.properties.get(PREFER_SENT_DATE, principal),
      authenticity: await this.readAuthenticityRules(principal),
    };
  }

  /** By which authors are judged; undefined where they are not. */
  private async readAuthenticityRules(principal: UserRequest['principal']): Promise<AuthenticityRules | undefined> {
    if (!(await this.properties.get(MAIL_AUTHENTICITY, principal))) return undefined;
    const [servers, threshold, trusted] = await Promise.all([
      this.properties.get(TRUSTED_AUTH_SERVERS, principal),
      this.properties.get(AUTHENTICITY_THRESHOLD, principal),
      this.properties.get(TRUSTED_MAIL_SENDERS, principal),
    ]);
    return toAuthenticityRules(servers, threshold, trusted);
  }

  /** Rows of mails of the selected folder in their order; those that are gone meanwhile are left out. */
  async listRows(
    request: UserRequest,
    open: OpenFolder,
    mails: readonly ListedMail[],
    columns: readonly MailColumn[],
    timeZone: string | undefined,
  ): Promise<unknown[][]> {
    const uids = mails.map(({ uid }) => uid);
    const found = await this.readMails(request, open, uids, columns, timeZone);
    return mails.flatMap(({ uid, level }) => {
      const mail = found.get(uid);
      return mail ? [mail.toRow(columns, level)] : [];
    });
  }

  /** Mails of the selected folder as objects of the requested columns, by UID; those that are gone are missing. */
  async readMails(
    request: UserRequest,
    open: OpenFolder,
    uids: readonly number[],
    columns: readonly MailColumn[],
    timeZone: string | undefined,
  ): Promise<Map<number, MailCells>> {
    const { session, account, folder } = open;
    const context = await this.getContext(request, account, folder, timeZone);
    const found = new Map<number, MailCells>();
    if (uids.length === 0) return found;
    const messages = await session.fetch(uids, planFetch(columns));
    const wants = (field: keyof MailData) => columns.some((each) => each.kind === 'field' && each.property === field);
    const [isMade, isShown] = [wants('text_preview'), wants('quick_preview')];
    const previews =
      isMade || isShown ? await this.previews.readPreviews(request.principal, open, messages, isMade) : undefined;
    const acceptsKeywords = session.mailbox.permanentFlags?.has('\\*') ?? false;
    for (const message of messages) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      found.set(message.uid, new MailCells(message, context, acceptsKeywords, previews?.get(message.uid)));
    }
    return found;
  }
}
