import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import MailComposer from 'nodemailer/lib/mail-composer';
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
  readonly calendar?: { readonly method: string; readonly text: string };
  /** ms UTC. */
  readonly date: number;
}

/** Writes mails as RFC 5322 has them: plain text and HTML as alternatives, in ASCII. */
@Injectable()
export class Composer {
  constructor(private readonly config: OutgoingMailConfig) {}

  /** Writes a mail; its Message-ID is the same at every attempt. */
  async compose(
    { to, replyTo, date, from: author, calendar }: MailEnvelope,
    { subject, text, html }: MailText,
  ): Promise<string> {
    const { from, fromName } = this.config;
    const message = new MailComposer({
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
      textEncoding: 'base64',
      date: new Date(date),
      messageId: `<${randomUUID()}@${from.split('@').at(-1) || 'localhost'}>`,
      // RFC 3834, section 5: no automatic answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile();
    return (await message.build()).toString('latin1');
  }
}
