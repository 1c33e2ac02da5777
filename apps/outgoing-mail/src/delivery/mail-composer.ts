import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { addAttachments } from '@groupware/icalendar';
import { Injectable } from '@nestjs/common';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { OpenFile } from '../files/mail-files';
import { OutgoingMailConfig } from '../outgoing-mail.config';
import type { MailText } from '../templates/mail-text';

/** Envelope of a mail. */
export interface MailEnvelope {
  readonly to: { readonly address: string; readonly name?: string };
  /** Address that answers go to. */
  readonly replyTo?: string;
  /** For whom the mail speaks; the system stays its Sender (RFC 5322, section 3.6.2). */
  readonly from?: { readonly address: string; readonly name?: string };
  /** A scheduling message (RFC 6047): an alternative of the texts, and a file for clients that know none. */
  readonly calendar?: {
    readonly method: string;
    readonly text: string;
    /** For each VEVENT, the event whose files it has. */
    readonly filesOf?: readonly (number | null)[];
  };
  /** ms UTC. */
  readonly date: number;
}

/** A mail that is written when it leaves. */
export interface MailDraft {
  readonly envelope: MailEnvelope;
  readonly text: MailText;
  /** With brackets. */
  readonly messageId: string;
}

/** Types that a part with encoded bytes cannot have (RFC 2046, section 5), and what is no type. */
const OPAQUE = /^(?!(?:multipart|message)\/)[\w.+-]+\/[\w.+-]+$/i;

/** Writes mails as RFC 5322 has them: plain text and HTML as alternatives, in ASCII. */
@Injectable()
export class Composer {
  constructor(private readonly config: OutgoingMailConfig) {}

  /** The draft of a mail; its Message-ID is the same at every attempt. */
  createDraft(envelope: MailEnvelope, text: MailText): MailDraft {
    return { envelope, text, messageId: `<${randomUUID()}@${this.config.domain}>` };
  }

  /** Writes a mail. */
  async compose(envelope: MailEnvelope, text: MailText): Promise<string> {
    return (await this.build(this.createDraft(envelope, text)).build()).toString('latin1');
  }

  /** Writes a mail with files, piece by piece: their bytes are read as it leaves. */
  async *stream(draft: MailDraft, files: readonly OpenFile[]): AsyncGenerator<Uint8Array, void, undefined> {
    const parts = new Map(files.map((file) => [file.contentId, file]));
    const contents = [...parts.values()].map((file) => ({ file, content: Readable.from(file.read()) }));
    try {
      yield* this.build(
        { ...draft, envelope: withAttachments(draft.envelope, files) },
        contents.map(({ file: { name, contentType, contentId }, content }) => ({
          filename: name,
          contentType: OPAQUE.test(contentType) ? contentType : 'application/octet-stream',
          contentTransferEncoding: 'base64',
          contentDisposition: 'attachment',
          // Not `cid`: the parts belong to the calendar, and not to the HTML.
          headers: { 'Content-ID': `<${contentId}>` },
          content,
        })),
      ).createReadStream() as AsyncIterable<Uint8Array>;
    } finally {
      for (const { content } of contents) content.destroy();
    }
  }

  private build(
    { envelope: { to, replyTo, date, from: author, calendar }, text: { subject, text, html }, messageId }: MailDraft,
    attachments: NonNullable<ConstructorParameters<typeof MailComposer>[0]>['attachments'] = [],
  ): ReturnType<MailComposer['compile']> {
    const { from, fromName } = this.config;
    return new MailComposer({
      ...(author && {
        from: { name: author.name ?? '', address: author.address },
        sender: { name: fromName, address: from },
      }),
      ...(!author && { from: { name: fromName, address: from } }),
      to: { name: to.name ?? '', address: to.address },
      ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
      subject,
      text,
      html,
      ...(calendar && { icalEvent: { method: calendar.method, content: calendar.text, filename: 'invite.ics' } }),
      attachments,
      textEncoding: 'base64',
      date: new Date(date),
      messageId,
      // RFC 3834, section 5: no automatic answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile();
  }
}

/** An envelope whose calendar names the parts of the mail (RFC 5545, section 3.8.1.1; RFC 2392). */
function withAttachments({ calendar, ...envelope }: MailEnvelope, files: readonly OpenFile[]): MailEnvelope {
  if (!calendar?.filesOf) return { ...envelope, calendar };
  const attachments = calendar.filesOf.map((event) =>
    files
      .filter(({ object }) => object === event)
      .map(({ name, contentType, sizeBytes, contentId }) => ({
        uri: `cid:${contentId}`,
        fileName: name,
        formatType: contentType,
        size: sizeBytes,
      })),
  );
  return { ...envelope, calendar: { ...calendar, text: addAttachments(calendar.text, attachments) } };
}
