import type { MailAddress, MailData } from '@groupware/contracts';
import { parseAddresses, type MailHeaders } from '../message/headers';
import { escapeHtml } from '../text/text-to-html';
import { normalizeAddress } from './recipients';

const QUOTE_STYLE = 'margin-left: 0px; padding-left: 10px; border-left: solid 1px blue;';

/** A mail that is answered or forwarded. */
export interface OriginalMail {
  headers: MailHeaders;
  /** Its text: plain text unescaped, or HTML that is safe. */
  body: { type: 'text/plain' | 'text/html'; content: string };
  /** It lies in the folder for sent mails or drafts: those it was sent to are answered. */
  isOwn: boolean;
}

/** How it is answered. */
export interface ReplyOptions {
  /** Addresses of the user, aliases included. */
  ownAddresses: readonly string[];
  locale: string;
  timeZone: string;
  /** The other recipients get copies only. */
  othersInCc?: boolean;
  /** Without the text of the original. */
  withoutText?: boolean;
}

/** Recipients, subject and text of a mail that is prepared, not sent. */
export type PreparedMail = Pick<MailData, 'to' | 'cc' | 'bcc' | 'subject' | 'attachments'>;

/** An answer to the author of a mail. */
export function createReply(original: OriginalMail, options: ReplyOptions): PreparedMail {
  return {
    to: listRepliedTo(original),
    cc: [],
    bcc: [],
    subject: addPrefix('Re: ', original.headers),
    attachments: [toBody(options.withoutText ? emptyOf(original) : quote(original, options))],
  };
}

/** An answer to the author and all other recipients of a mail, without those who are the user. */
export function createReplyToAll(original: OriginalMail, options: ReplyOptions): PreparedMail {
  const own = new Set(options.ownAddresses.map(normalizeAddress));
  const seen = new Set<string>();
  const others = (addresses: readonly MailAddress[]) =>
    addresses.filter(([, address]) => {
      const key = normalizeAddress(address);
      return !own.has(key) && !seen.has(key) && seen.add(key);
    });
  const repliedTo = listRepliedTo(original);
  let author = others(repliedTo);
  const recipients = original.isOwn ? [] : others(original.headers.getAddresses('to'));
  const cc = others(original.headers.getAddresses('cc'));
  // A mail to oneself is answered to oneself.
  if (author.length + recipients.length + cc.length === 0) author = repliedTo;
  // Without another author, as of an own mail, its recipients are who is answered.
  const inCc = options.othersInCc === true && author.length > 0;
  return {
    ...createReply(original, options),
    to: inCc ? author : [...author, ...recipients],
    cc: inCc ? [...recipients, ...cc] : cc,
    bcc: original.isOwn ? original.headers.getAddresses('bcc') : [],
  };
}

/** A mail that passes another on: its head and its text, unquoted. */
export function createForward(
  original: OriginalMail,
  options: Pick<ReplyOptions, 'locale' | 'timeZone'>,
): PreparedMail {
  const { headers, body } = original;
  const lines = [
    ['From', formatAddresses(headers.getAddresses('from'))],
    ['To', formatAddresses(headers.getAddresses('to'))],
    ['Cc', formatAddresses(headers.getAddresses('cc'))],
    ['Date', formatDate(headers, options)],
    ['Subject', headers.getText('subject')],
  ].filter(([, value]) => value !== '') as [string, string][];
  const title = '---------- Original Message ----------';
  const content =
    body.type === 'text/plain'
      ? `\n\n${title}\n${lines.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${body.content}`
      : `<br><br>${title}<br>${lines.map(([name, value]) => `${name}: ${escapeHtml(value)}`).join('<br>')}<br><br>${body.content}`;
  return {
    to: [],
    cc: [],
    bcc: [],
    subject: addPrefix('Fwd: ', headers),
    attachments: [toBody({ type: body.type, content })],
  };
}

/** Headers by which a mail refers to the one that it answers (RFC 5322 §3.6.4). */
export interface MailThreadHeaders {
  inReplyTo: string;
  references: string[];
}

/** Headers by which an answer refers to its original; undefined when that has no Message-ID. */
export function createThreadHeaders(headers: MailHeaders): MailThreadHeaders | undefined {
  const [inReplyTo] = listIds(headers, 'message-id');
  return inReplyTo === undefined ? undefined : { inReplyTo, references: listReferences(headers, inReplyTo) };
}

/** Headers by which a mail that was begun refers to its original; undefined when it refers to none. */
export function readThreadHeaders(headers: MailHeaders): MailThreadHeaders | undefined {
  const inReplyTo = listIds(headers, 'in-reply-to')[0] ?? listIds(headers, 'references').at(-1);
  return inReplyTo === undefined ? undefined : { inReplyTo, references: listReferences(headers, inReplyTo) };
}

const listIds = (headers: MailHeaders, name: string): string[] => headers.getRaw(name).match(/<[^<>\s]+>/g) ?? [];

/** Ids that a mail refers to, and last the one that is answered. */
function listReferences(headers: MailHeaders, inReplyTo: string): string[] {
  const references = listIds(headers, 'references');
  const known = references.length > 0 ? references : listIds(headers, 'in-reply-to');
  return [...known.filter((id) => id !== inReplyTo), inReplyTo];
}

function listRepliedTo({ headers, isOwn }: OriginalMail): MailAddress[] {
  if (isOwn) return headers.getAddresses('to');
  const replyTo = headers.getAddresses('reply-to');
  return replyTo.length > 0 ? replyTo : headers.getAddresses('from');
}

function addPrefix(prefix: string, headers: MailHeaders): string {
  const subject = headers.getText('subject');
  const isThere = subject.slice(0, prefix.length - 1).toLowerCase() === prefix.trim().toLowerCase();
  return isThere ? subject : `${prefix}${subject}`.trim();
}

function quote({ headers, body }: OriginalMail, options: ReplyOptions): OriginalMail['body'] {
  const [sender] = headers.getAddresses('from');
  const name = sender?.[0]?.replace(/^"|"$/g, '') ?? sender?.[1] ?? '';
  const date = formatDate(headers, options);
  const head = `${date ? `On ${date} ` : ''}${name} wrote:`;
  if (body.type === 'text/plain') {
    const lines = body.content.replace(/\n$/, '').split('\n');
    return { type: body.type, content: `\n\n${head}\n\n${lines.map((line) => `> ${line}`).join('\n')}\n` };
  }
  const content = `<br><br>${escapeHtml(head)}<br><blockquote type="cite" style="${QUOTE_STYLE}">${body.content}</blockquote>`;
  return { type: body.type, content };
}

/** Date and time as the user reads them: `<date> at <time>`. */
function formatDate(headers: MailHeaders, { locale, timeZone }: Pick<ReplyOptions, 'locale' | 'timeZone'>): string {
  const sent = headers.getDate();
  if (sent === undefined) return '';
  const date = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium' }).format(sent);
  const time = new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'short' }).format(sent);
  // Narrow spaces of some locales are unreadable in plain mails.
  return `${date} at ${time}`.replaceAll('\u202f', ' ');
}

function formatAddresses(addresses: readonly MailAddress[]): string {
  return addresses.map(([name, address]) => (name === null ? address : `${name} <${address}>`)).join(', ');
}

function emptyOf({ body }: OriginalMail): OriginalMail['body'] {
  return { type: body.type, content: '' };
}

function toBody({ type, content }: OriginalMail['body']): NonNullable<MailData['attachments']>[number] {
  return { id: '1', content_type: type, size: Buffer.byteLength(content), disp: 'inline', content };
}

/** Own addresses among the recipients of a mail: the one it came to is the sender of the answer. */
export function findOwnRecipient(headers: MailHeaders, ownAddresses: readonly string[]): MailAddress | undefined {
  const own = new Set(ownAddresses.map(normalizeAddress));
  const recipients = ['to', 'cc', 'delivered-to', 'x-original-to'].flatMap((name) =>
    parseAddresses(headers.getRaw(name)),
  );
  return recipients.find(([, address]) => own.has(normalizeAddress(address)));
}
