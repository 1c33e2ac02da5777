import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { MailAddress } from '@groupware/contracts';
import MimeNode from 'nodemailer/lib/mime-node';
import type { MailHeaders } from '../message/headers';
import { requireNoControlCharacters } from './recipients';

/** A receipt that a mail was read. */
export interface ReceiptInput {
  from: MailAddress;
  to: string;
  /** Headers of the mail that was read. */
  headers: MailHeaders;
  date: Date;
  userAgent: string;
}

const MESSAGE_ID = /<[^<>\s]{1,900}>/;

/** Writes the receipt of a mail (RFC 8098): who read it, and that it was their own doing. */
export async function composeReceipt({ from, to, headers, date, userAgent }: ReceiptInput): Promise<Buffer> {
  requireNoControlCharacters('to', to);
  const subject = headers.getText('subject');
  const original = MESSAGE_ID.exec(headers.getRaw('message-id'))?.[0];
  const domain = domainToASCII(from[1].slice(from[1].lastIndexOf('@') + 1)) || 'localhost';
  const root = new MimeNode('multipart/report; report-type=disposition-notification', {
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  root.setHeader({
    from: { name: from[0] ?? '', address: from[1] },
    to,
    subject: `Read: ${subject}`.slice(0, 900),
    date: date.toUTCString().replace('GMT', '+0000'),
    'message-id': `<${randomUUID()}@${domain}>`,
    'mime-version': '1.0',
    // RFC 3834: no automatic answers.
    'auto-submitted': 'auto-replied',
    ...(original ? { 'in-reply-to': original, references: original } : {}),
  });
  root
    .createChild('text/plain; charset=utf-8')
    .setContent(
      `The mail "${subject.slice(0, 500)}" was displayed. This does not say that it was read or understood.\n`,
    );
  const fields = [
    `Reporting-UA: ${domain}; ${userAgent.replace(/[^ -~]/g, '')}`,
    `Final-Recipient: rfc822;${from[1]}`,
    ...(original ? [`Original-Message-ID: ${original}`] : []),
    'Disposition: manual-action/MDN-sent-manually; displayed',
  ];
  root
    .createChild('message/disposition-notification')
    .setHeader('content-disposition', 'inline')
    .setContent(`${fields.join('\r\n')}\r\n`);
  return root.build();
}
