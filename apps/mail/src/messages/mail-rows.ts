import { MailErrors, MAX_MAIL_ROWS, PREFER_SENT_DATE, type MailboxAccess } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { MailRequest, OpenFolder } from '../accounts/mailboxes';
import type { MailFolder } from '../domain/mail-folder';
import type { ListedMail } from '../listing/mail-listing';
import type { MailColumn } from './mail-columns';
import { readMails, type MailViewContext } from './mail-view';

/** Builds rows of mails. */
@Injectable()
export class MailRows {
  constructor(private readonly properties: Properties) {}

  /** Most rows of one answer. */
  getMaxRows({ principal }: MailRequest): Promise<number> {
    return this.properties.get(MAX_MAIL_ROWS, principal);
  }

  /** Surroundings of the mails of a folder. @throws MSG-0031 for an unknown zone */
  async getContext(
    { principal }: MailRequest,
    account: MailboxAccess,
    folder: MailFolder,
    timeZone: string | undefined,
  ): Promise<MailViewContext> {
    const zone = resolveTimeZone(timeZone || principal.timeZone) ?? (timeZone ? undefined : 'UTC');
    if (zone === undefined) throw MailErrors.badParameter('timezone', timeZone!);
    return {
      folder,
      accountName: account.name,
      zone: ZoneOffsets.forZone(zone),
      prefersSentDate: await this.properties.get(PREFER_SENT_DATE, principal),
    };
  }

  /** Rows of mails of the selected folder in their order; those that are gone meanwhile are left out. */
  async listRows(
    request: MailRequest,
    { session, account, folder }: OpenFolder,
    mails: readonly ListedMail[],
    columns: readonly MailColumn[],
    timeZone: string | undefined,
  ): Promise<unknown[][]> {
    const context = await this.getContext(request, account, folder, timeZone);
    const uids = mails.map(({ uid }) => uid);
    const found = await readMails(session, uids, columns, context);
    return mails.flatMap(({ uid, level }) => {
      const mail = found.get(uid);
      return mail ? [mail.toRow(columns, level)] : [];
    });
  }
}
