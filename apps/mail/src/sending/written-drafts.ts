import { MailErrors, type MailDraft, type MailDraftPart, type UserRequest } from '@groupware/contracts';
import { readRecipients } from '@groupware/mail-content';
import { Injectable } from '@nestjs/common';
import { parseMailPath, parseMailPaths, type MailPlace } from '../domain/mail-path';
import { DataSourceFiles } from '../conversion/data-source-files';
import { AttachedCards } from './attached-cards';
import { AttachedDocuments } from './attached-documents';
import { readOriginalHeaders, SEND_TYPES, toOriginalHeaders, type WrittenOriginals } from './draft-originals';
import { toSendingError, type SendingEffects, type WrittenMail } from './mail-sending';
import { OriginalMails } from './original-mails';
import { OutgoingFiles, type OutgoingFile } from './outgoing-files';
import { Senders } from './senders';

/** Reads mails that clients wrote whole. */
@Injectable()
export class WrittenDrafts {
  constructor(
    private readonly senders: Senders,
    private readonly originals: OriginalMails,
    private readonly files: OutgoingFiles,
    private readonly documents: AttachedDocuments,
    private readonly sources: DataSourceFiles,
    private readonly cards: AttachedCards,
  ) {}

  /**
   * Reads a mail and lets `work` use it; parts of other mails are kept meanwhile.
   * @param isDraft true takes any author, and recipients that are no addresses yet
   * @throws MSG-0047, MSG-0056, MSG-1008, MSG-0067, MSG-0080, MSG-0031, CON-0125, and as {@link AttachedDocuments.findDocuments} and
   * {@link DataSourceFiles.keepData}
   */
  async withMail<T>(
    request: UserRequest,
    draft: MailDraft,
    { uploads = [], isDraft = false }: { readonly uploads?: readonly OutgoingFile[]; readonly isDraft?: boolean },
    work: (mail: WrittenMail, references: readonly MailPlace[], originals: WrittenOriginals | undefined) => Promise<T>,
  ): Promise<T> {
    const references = draft.msgref ? parseMailPaths(draft.msgref) : [];
    const originals = await this.findOriginals(request, draft, references);
    const original = originals?.places.length === 1 ? originals.places[0] : undefined;
    const [text, ...parts] = draft.attachments ?? [];
    const kept: OutgoingFile[] = [];
    try {
      const answered = originals?.sendtype === SEND_TYPES.reply ? original : undefined;
      const from = readRecipients('from', draft.from, isDraft)[0];
      const sender = await this.senders[isDraft ? 'resolveDraftSender' : 'resolveSender'](request, from, answered);
      const [to, cc, bcc, replyTo] = (['to', 'cc', 'bcc', 'reply_to'] as const).map((field) =>
        readRecipients(field, draft[field], isDraft),
      );
      const documents = await this.documents.findDocuments(request, draft.infostore_ids ?? []);
      for (const part of parts) kept.push(...(await this.keepPart(request, part, references)));
      for (const source of draft.datasources ?? []) kept.push(await this.sources.keepData(request, source));
      const attached = [...kept, ...documents, ...uploads];
      if (isTrue(draft.vcard)) {
        const card = await this.cards.keepOwnCard(request.principal);
        kept.push(card);
        // A draft that was saved with the card has it.
        if (!attached.some(({ name }) => name === card.name)) attached.push(card);
      }
      const mail: WrittenMail = {
        sender,
        to: to!,
        cc: cc!,
        bcc: bcc!,
        ...(replyTo!.length > 0 ? { replyTo: replyTo! } : {}),
        subject: draft.subject ?? '',
        body: toBody(text),
        files: attached,
        priority: toPriority(draft.priority),
        wantsReceipt: isTrue(draft.disp_notification_to),
        headers: readHeaders(draft.headers),
        ...(originals ? { draftHeaders: toOriginalHeaders(originals) } : {}),
        ...(original ? { threadOf: original } : {}),
        ...(isOfDraft(draft.sendtype) && references[0] ? { draft: references[0] } : {}),
      };
      return await work(mail, references, originals);
    } catch (error) {
      throw toSendingError(error);
    } finally {
      await this.files.discardFiles(kept);
    }
  }

  /** Mails that one answers or forwards; one that goes on with a draft does what that tells. */
  private async findOriginals(
    request: UserRequest,
    { sendtype }: MailDraft,
    references: readonly MailPlace[],
  ): Promise<WrittenOriginals | undefined> {
    const [first] = references;
    if (!first) return undefined;
    if (sendtype === SEND_TYPES.reply && references.length > 1) throw MailErrors.severalReplies();
    if (sendtype === SEND_TYPES.reply || sendtype === SEND_TYPES.forward) return { sendtype, places: references };
    const headers = isOfDraft(sendtype) ? await this.originals.findDraftHeaders(request, first) : undefined;
    return headers && readOriginalHeaders(headers);
  }

  private async keepPart(
    request: UserRequest,
    { id, msgref, content_type: type }: MailDraftPart,
    references: readonly MailPlace[],
  ): Promise<OutgoingFile[]> {
    const place = msgref ? parseMailPath(msgref) : references[0];
    if (!place || (id === undefined && !msgref)) return [];
    // Mails to forward are prepared with ids that count the parts of the new mail.
    const isWhole = msgref && (id === undefined || /^message\/rfc822\b/i.test(type ?? ''));
    return this.originals.keepParts(request, place, [isWhole ? {} : { part: id! }]);
  }
}

/** Lists the effects of a sent mail, as its kind says. */
export function toEffects(
  { sendtype = 0, deleteDraftOnTransport, copy2Sent }: MailDraft,
  references: readonly MailPlace[],
  originals: WrittenOriginals | undefined,
  defaults: { readonly copyToSent: boolean; readonly dropsDraft: boolean },
): SendingEffects {
  const [first] = references;
  const flag = originals?.sendtype === SEND_TYPES.reply ? '\\Answered' : '$Forwarded';
  const drops =
    sendtype === SEND_TYPES.sendDraft ||
    sendtype === SEND_TYPES.dropDraft ||
    (sendtype !== SEND_TYPES.keepDraft && (deleteDraftOnTransport ?? defaults.dropsDraft));
  return {
    copyToSent: copy2Sent ?? defaults.copyToSent,
    flagged: (originals?.places ?? []).map((place) => ({ place, flag })),
    ...(isOfDraft(sendtype) && drops && first ? { draft: first } : {}),
  };
}

/** Whether the mail goes on with a draft. */
const isOfDraft = (sendtype = 0): boolean => sendtype >= SEND_TYPES.editDraft && sendtype <= SEND_TYPES.dropDraft;

function toBody(part: MailDraftPart | undefined): WrittenMail['body'] {
  const isHtml = /^(text\/html|alternative|multipart\/alternative)\b/i.test(part?.content_type ?? '');
  return { type: isHtml ? 'text/html' : 'text/plain', content: part?.content ?? '' };
}

const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';

/** Numbers beyond the known ones are normal. */
const toPriority = (priority: number | null | undefined): number =>
  priority != null && priority >= 1 && priority <= 5 ? priority : 3;

/** @throws MSG-0031 for what are no headers */
function readHeaders(headers: unknown): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== 'object' || Array.isArray(headers)) throw MailErrors.badParameter('headers', typeof headers);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== 'string') throw MailErrors.badParameter(`headers.${name.slice(0, 50)}`, typeof value);
      return [name, value];
    }),
  );
}
