import {
  mailSending,
  MailErrors,
  type CallOf,
  type Handler,
  type MailData,
  type MailReplyQuery,
  type UserRequest,
} from '@groupware/contracts';
import { createReply, createReplyToAll, findOwnRecipient, type ReplyOptions } from '@groupware/mail-content';
import { Handles } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { MailPreferences } from '../accounts/mail-preferences';
import { requirePlace, toMailPath } from '../domain/mail-path';
import { localeOf, OriginalMails } from '../sending/original-mails';
import { FolderOwners } from '../sending/folder-owners';
import { Senders } from '../sending/senders';

/** Prepares answers to mails. */
@Injectable()
export class ReplyPreparation {
  constructor(
    private readonly originals: OriginalMails,
    private readonly senders: Senders,
    private readonly owners: FolderOwners,
    private readonly preferences: MailPreferences,
  ) {}

  /** @throws MSG-0047 for several mails, MSG-0032 */
  async prepareReply(request: UserRequest, query: MailReplyQuery, toAll: boolean): Promise<MailData> {
    if (query.id.includes(',')) throw MailErrors.severalReplies();
    const place = requirePlace(query.folder, query.id);
    const { view, max_size: maxSize } = query;
    const original = await this.originals.readOriginal(request, place, { view, maxSize, embedded: true });
    const owner = await this.owners.findAddress(request, place.folder.account, original.ownerLogin);
    const ownAddresses = [...(await this.senders.listAddresses(request)), ...(owner ? [owner[1]] : [])];
    const options: ReplyOptions = {
      ...localeOf(request),
      ownAddresses,
      othersInCc: toAll && (await this.preferences.repliesInCc(request)),
      withoutText: await this.preferences.repliesWithoutText(request),
    };
    const prepared = toAll ? createReplyToAll(original, options) : createReply(original, options);
    const from = query.setFrom ? (owner ?? findOwnRecipient(original.headers, ownAddresses)) : undefined;
    return { ...prepared, ...(from ? { from: [from] } : {}), msgref: toMailPath(place) };
  }
}

/** `reply`: the answer to the author of a mail, prepared. */
@Handles(mailSending.reply)
export class ReplyHandler implements Handler<typeof mailSending.reply> {
  constructor(private readonly replies: ReplyPreparation) {}

  handle(call: CallOf<typeof mailSending.reply>): Promise<MailData> {
    return this.replies.prepareReply(call, call.query, false);
  }
}
