import { buffer } from 'node:stream/consumers';
import {
  DELIVERY_STATUS_NOTIFICATION,
  MailErrors,
  MAX_MAIL_FILES,
  MAX_MAIL_SIZE,
  MAX_RECIPIENTS,
  TELL_CLIENT_ADDRESS,
  type CatalogueError,
  type EdgeRequest,
  type MailAddress,
  type MailboxAccess,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import type { DeliveryStatusNotification } from '@groupware/mail-access';
import {
  ComposeError,
  composeMail,
  ContentWorkers,
  parseAddresses,
  type ComposedMail,
  type MailThreadHeaders,
} from '@groupware/mail-content';
import { Clock, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { MailPlace } from '../domain/mail-path';
import { MailTransport } from './mail-transport';
import { OriginalMails } from './original-mails';
import { OutgoingFiles, type OutgoingFile } from './outgoing-files';
import { OutgoingTexts } from './outgoing-text';
import { SendRate } from './send-rate';
import { SendingSettings } from './sending-settings';
import type { Sender } from './senders';
import { SentMailNotice } from './sent-mail-notice';
import { StoredMails, type StoredPlace } from './stored-mails';
import { encodedSize, WrittenSource } from './written-source';

/** A mail as its author wrote it. */
export interface WrittenMail {
  readonly sender: Sender;
  readonly replyTo?: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly subject: string;
  readonly body: { readonly type: 'text/plain' | 'text/html'; readonly content: string };
  readonly files: readonly OutgoingFile[];
  /** Inline files by the id that pictures of the text name. */
  readonly inlineFiles?: ReadonlyMap<string, OutgoingFile>;
  /** 1 to 5. */
  readonly priority?: number;
  readonly wantsReceipt?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of drafts alone: they do not leave. */
  readonly draftHeaders?: Readonly<Record<string, string>>;
  readonly wrapAt?: number;
  /** Mail that is answered or forwarded in the text: the thread goes on. */
  readonly threadOf?: MailPlace;
  /** Draft that it goes on with, and so does the thread of that where none is named, or its mail is gone. */
  readonly draft?: MailPlace;
}

/** Effects on other mails once a mail was sent. */
export interface SendingEffects {
  readonly copyToSent: boolean;
  /** Mails that get a flag. */
  readonly flagged: readonly { readonly place: MailPlace; readonly flag: '\\Answered' | '$Forwarded' }[];
  /** Draft that is deleted for good. */
  readonly draft?: MailPlace;
}

/** A mail that was sent. */
export interface SentMail {
  /** Place of the copy; absent without one. */
  readonly copy?: StoredPlace;
  readonly warnings: readonly CatalogueError[];
  readonly messageId?: string;
}

/** A request that tells, where it is known, from where the client came. */
export interface SendingRequest extends UserRequest {
  readonly edge?: EdgeRequest | undefined;
}

/** Header with the address of the client. */
const CLIENT_ADDRESS = 'X-Originating-IP';
/** Bytes of a mail that are handed over at a time. */
const SLICE_BYTES = 64 * 1024;

/** Source of a mail that is ready to leave. */
interface ReadyMail {
  /** Opens it as it leaves; called once at most. */
  readonly openWire: () => AsyncIterable<Uint8Array>;
  /** Reads it as it is kept, once it left. */
  readonly readCopy: () => Buffer;
  /** So large, about, and not larger. */
  readonly sizeBytes: number;
  readonly recipients: readonly MailAddress[];
  readonly messageId?: string;
}

/** Checks, writes, sends and stores mails of users. */
@Injectable()
export class MailSending {
  constructor(
    private readonly transport: MailTransport,
    private readonly stored: StoredMails,
    private readonly originals: OriginalMails,
    private readonly texts: OutgoingTexts,
    private readonly files: OutgoingFiles,
    private readonly workers: ContentWorkers,
    private readonly rate: SendRate,
    private readonly notice: SentMailNotice,
    private readonly properties: Properties,
    private readonly settings: SendingSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a mail and does what follows from it. Once the server took the mail, there are warnings only.
   * @throws what {@link requireSendable} and {@link MailTransport.sendMail} throw
   */
  async sendMail(request: SendingRequest, mail: WrittenMail, effects: SendingEffects): Promise<SentMail> {
    await this.requireSendable(request.principal, mail.sender.account, [...mail.to, ...mail.cc, ...mail.bcc].length);
    await this.files.requireClean(request.principal, mail.files);
    const maxBytes = await this.properties.get(MAX_MAIL_SIZE, request.principal);
    const sent = await this.toSent(request, mail);
    return this.withComposed(request, sent, async (composed, sizeBytes) => {
      const written = new WrittenSource(() => composed.createSource(), {
        maxBytes,
        hidesBlindCopies: mail.bcc.length > 0,
        isKept: effects.copyToSent,
      });
      const ready = {
        openWire: () => written.write(),
        readCopy: () => written.readCopy(),
        sizeBytes,
        recipients: [...mail.to, ...mail.cc, ...mail.bcc],
        messageId: composed.messageId,
      };
      try {
        const delivered = await this.deliverMail(request, mail.sender, ready, effects);
        return { ...delivered, messageId: composed.messageId };
      } catch (error) {
        // A mail that could not be written to its end was not sent, whatever the server made of that.
        throw written.failure ?? error;
      }
    });
  }

  /** Sends a source as it is. @throws as {@link sendMail} */
  async sendSource(
    request: UserRequest,
    sender: Sender,
    source: { readonly wire: Buffer; readonly copy: Buffer; readonly recipients: readonly MailAddress[] },
    effects: SendingEffects,
  ): Promise<SentMail> {
    await this.requireSendable(request.principal, sender.account, source.recipients.length);
    const { wire, copy, recipients } = source;
    await this.requireSize(request.principal, copy.length);
    const ready = { openWire: () => slicesOf(wire), readCopy: () => copy, sizeBytes: copy.length, recipients };
    return this.deliverMail(request, sender, ready, effects);
  }

  /** Writes a mail and lets `work` store it. @throws MSG-0088, MSG-0094, MSG-1008 */
  storeMail<T>(
    request: UserRequest,
    mail: WrittenMail,
    work: (source: Buffer, composed: ComposedMail) => Promise<T>,
  ): Promise<T> {
    return this.withComposed(request, mail, async (composed) =>
      work(await this.readComposed(request.principal, composed), composed),
    );
  }

  /** @throws MSG-0065, MSG-0037, MSG-0076 */
  async requireSendable(user: UserPrincipal, account: MailboxAccess, recipients: number): Promise<void> {
    if (!account.transport) throw MailErrors.noTransport(account.name, account.id);
    if (recipients === 0) throw MailErrors.missingField('To');
    const most = await this.properties.get(MAX_RECIPIENTS, user);
    if (most > 0 && recipients > most) throw MailErrors.tooManyRecipients(most);
  }

  /** @throws MSG-0088 */
  async requireSize(user: UserPrincipal, sizeBytes: number): Promise<void> {
    const maxBytes = await this.properties.get(MAX_MAIL_SIZE, user);
    if (sizeBytes > maxBytes) throw MailErrors.mailTooLarge(maxBytes);
  }

  /** A mail with what it tells of the user when it leaves. */
  private async toSent({ principal, edge }: SendingRequest, mail: WrittenMail): Promise<WrittenMail> {
    const { account, agent } = mail.sender;
    // Answers to what was written in the name of another one go to that one.
    const own = agent ? [] : parseAddresses(account.replyTo ?? '').filter(([, address]) => address.includes('@'));
    const tellsAddress = edge && (await this.properties.get(TELL_CLIENT_ADDRESS, principal));
    return {
      ...(own.length > 0 ? { replyTo: own } : {}),
      ...mail,
      ...(tellsAddress ? { headers: { ...mail.headers, [CLIENT_ADDRESS]: edge.remoteAddress } } : {}),
    };
  }

  private async deliverMail(
    request: UserRequest,
    { from, agent = from, account }: Sender,
    { openWire, readCopy, sizeBytes, recipients, messageId }: ReadyMail,
    effects: SendingEffects,
  ): Promise<SentMail> {
    const to = [...new Set(recipients.map(([, address]) => address))];
    const notification = await this.toNotification(request.principal, messageId);
    const envelope = { from: agent[1], to, sizeBytes, ...(notification ? { notification } : {}) };
    let sentFolder: Promise<string | undefined> | undefined;
    await this.rate.countMail(request.principal, account.id, () => {
      if (effects.copyToSent) sentFolder = this.stored.findRole(request, account, 'sent');
      return this.transport.sendMail(request, account, envelope, openWire);
    });
    // None of them fails, and none waits for another one.
    const [{ place, warning }, flagged] = await Promise.all([
      effects.copyToSent
        ? this.storeCopy(request, account, readCopy(), sentFolder)
        : { place: undefined, warning: undefined },
      Promise.all(effects.flagged.map((each) => this.stored.flagMail(request, each.place, each.flag))),
      this.notice.publish(request.principal, recipients),
    ]);
    if (effects.draft) await this.stored.removeDraft(request, effects.draft);
    return {
      ...(place ? { copy: place } : {}),
      warnings: [...(warning ? [warning] : []), ...(flagged.includes(false) ? [MailErrors.originalNotFlagged()] : [])],
    };
  }

  private async toNotification(
    user: UserPrincipal,
    messageId: string | undefined,
  ): Promise<DeliveryStatusNotification | undefined> {
    const wanted = await this.properties.get(DELIVERY_STATUS_NOTIFICATION, user);
    if (wanted === 'server') return undefined;
    return {
      of: wanted === 'all' ? ['success', 'failure', 'delay'] : ['failure', 'delay'],
      ...(messageId === undefined ? {} : { envelopeId: messageId }),
    };
  }

  private async storeCopy(
    request: UserRequest,
    account: MailboxAccess,
    copy: Buffer,
    folder: Promise<string | undefined> | undefined,
  ): Promise<{ place?: StoredPlace; warning?: CatalogueError }> {
    try {
      return { place: await this.stored.storeByRole(request, account, 'sent', copy, ['\\Seen'], await folder) };
    } catch (error) {
      const isFull = error instanceof Error && 'is' in error && (error as CatalogueError).is(MailErrors.draftOverQuota);
      return {
        warning: (isFull ? MailErrors.sentCopyOverQuota() : MailErrors.sentCopyFailed()).with({ cause: error }),
      };
    }
  }

  private async withComposed<T>(
    request: UserRequest,
    mail: WrittenMail,
    work: (composed: ComposedMail, sizeBytes: number) => Promise<T>,
  ): Promise<T> {
    const { principal } = request;
    const most = await this.properties.get(MAX_MAIL_FILES, principal);
    if (mail.files.length > most) throw MailErrors.tooManyFiles(most);
    const text = await this.texts.prepareText(request, mail.body, mail.inlineFiles);
    const kept = new Set([...mail.files, ...(mail.inlineFiles?.values() ?? [])].map(({ reference }) => reference));
    try {
      const files = [...mail.files, ...text.unshown, ...text.pictures];
      const sizeBytes = files.reduce((sum, file) => sum + encodedSize(file), Buffer.byteLength(text.content));
      await this.requireSize(principal, sizeBytes);
      const { sender } = mail;
      const thread = await this.findThread(request, mail);
      const composed = await composeMail(
        {
          from: sender.from,
          ...(sender.agent ? { sender: sender.agent } : {}),
          ...(mail.replyTo ? { replyTo: mail.replyTo } : {}),
          to: mail.to,
          cc: mail.cc,
          bcc: mail.bcc,
          subject: mail.subject,
          body: { type: text.type, content: text.content },
          files: this.files.toComposed(files),
          priority: mail.priority ?? 3,
          ...(mail.wantsReceipt ? { receiptTo: (sender.agent ?? sender.from)[1] } : {}),
          ...(mail.headers ? { headers: mail.headers } : {}),
          ...(thread ? { thread } : {}),
          ...(mail.wrapAt ? { wrapAt: mail.wrapAt } : {}),
          date: new Date(this.clock.now()),
          userAgent: this.settings.userAgent,
        },
        this.workers,
      );
      return await work(composed, sizeBytes);
    } catch (error) {
      throw toSendingError(error);
    } finally {
      await this.files.discardFiles(text.pictures.filter(({ reference }) => !kept.has(reference)));
    }
  }

  private async findThread(
    request: UserRequest,
    { threadOf, draft }: WrittenMail,
  ): Promise<MailThreadHeaders | undefined> {
    const thread = threadOf && (await this.originals.findThread(request, threadOf));
    return thread ?? (draft && (await this.originals.findDraftThread(request, draft)));
  }

  private async readComposed(user: UserPrincipal, composed: ComposedMail): Promise<Buffer> {
    const source = await buffer(composed.createSource());
    await this.requireSize(user, source.length);
    return source;
  }
}

/** The error of the API for a mail that cannot be written. */
export function toSendingError(error: unknown): unknown {
  if (!(error instanceof ComposeError)) return error;
  const { reason, field, value } = error;
  return (
    reason === 'badHeader' ? MailErrors.badParameter(field, value) : MailErrors.invalidAddress(value || field)
  ).with({ cause: error });
}

/** In pieces, so that others have their turn between them. */
async function* slicesOf(source: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < source.length; from += SLICE_BYTES) yield source.subarray(from, from + SLICE_BYTES);
}
