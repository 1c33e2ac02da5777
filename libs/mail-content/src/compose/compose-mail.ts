import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import type { MailAddress } from '@groupware/contracts';
import type Mail from 'nodemailer/lib/mailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import { ContentError, type ContentWorkers } from '../worker/content-workers';
import { ComposeError } from './compose-error';
import { requireNoControlCharacters, toTypedText } from './recipients';
import { wrapLines } from './wrap-lines';

/** Headers of a client: their names, and how many. */
const CUSTOM_HEADER = /^X-[A-Za-z0-9-]{1,70}$/i;
const MAX_CUSTOM_HEADERS = 50;
const MAX_HEADER_LENGTH = 2_000;
const MAX_REFERENCES = 50;
const MESSAGE_ID = /^<[^<>\s]{1,900}>$/;

/** A file of a mail that is written. */
export interface ComposedFile {
  filename: string;
  type: string;
  /** Opens its bytes; called once for each time the mail is written. */
  open: () => Readable;
  /** Content-ID, without brackets, of a picture that the HTML shows. */
  cid?: string;
}

/** A mail to be written. */
export interface ComposeInput {
  from: MailAddress;
  /** The address that sends for the author. */
  sender?: MailAddress;
  replyTo?: readonly MailAddress[];
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  bcc: readonly MailAddress[];
  subject: string;
  /** HTML is sent with the text that it says, alone where that takes more than the bounds of the workers. */
  body: { type: 'text/plain' | 'text/html'; content: string };
  files: readonly ComposedFile[];
  /** 1 to 5; 3 is normal. */
  priority?: number;
  /** Address that a receipt shall be sent to. */
  receiptTo?: string;
  /** Headers of the client, `X-…` only. */
  headers?: Readonly<Record<string, string>>;
  /** Mail that is answered. */
  thread?: { inReplyTo: string; references: readonly string[] };
  /** Longest line of plain text; quoted lines are not broken. */
  wrapAt?: number;
  date: Date;
  userAgent: string;
}

/** A mail that is ready to be written. */
export interface ComposedMail {
  messageId: string;
  /** Addresses for the transport. */
  envelope: { from: string; to: string[] };
  /** The source as its author keeps it: it names the recipients of blind copies. Files are read anew each time. */
  createSource(): Readable;
}

/** Prepares a mail. @throws {ComposeError} for what would not be a mail, or more than one header */
export async function composeMail(input: ComposeInput, workers: ContentWorkers): Promise<ComposedMail> {
  const subject = toTypedText(input.subject);
  requireNoControlCharacters('subject', subject);
  const domain = input.from[1].slice(input.from[1].lastIndexOf('@') + 1);
  const messageId = `<${randomUUID()}@${domainToASCII(domain) || 'localhost'}>`;
  const baseBoundary = randomBytes(12).toString('hex');
  const fields = { ...(await bodyFields(input, workers)), ...headerFields(input), subject, messageId };
  const compile = () => {
    const attachments = input.files.map((file) => ({
      filename: file.filename,
      contentType: file.type,
      content: file.open(),
      ...(file.cid === undefined ? {} : { cid: file.cid, contentDisposition: 'inline' as const }),
    }));
    const mail = { ...fields, attachments, baseBoundary, disableFileAccess: true, disableUrlAccess: true };
    return new MailComposer(mail).compile();
  };
  const recipients = [...input.to, ...input.cc, ...input.bcc].map(([, address]) => address);
  return {
    messageId,
    envelope: { from: input.from[1], to: [...new Set(recipients)] },
    createSource: () => {
      const node = compile();
      node.keepBcc = true;
      // A mail that is attached goes as it is, and may come from a file with other ends of lines; some servers refuse them.
      if (input.files.some(({ type }) => type.startsWith('message/'))) node.newline = 'windows';
      return node.createReadStream();
    },
  };
}

async function bodyFields({ body, wrapAt }: ComposeInput, workers: ContentWorkers): Promise<Mail.Options> {
  const wrap = (text: string) => endLinesByCrlf(wrapAt === undefined ? text : wrapLines(text, wrapAt));
  if (body.type === 'text/plain') return { text: wrap(body.content) };
  const html = endLinesByCrlf(body.content);
  try {
    const { content } = await workers.runTask({
      kind: 'htmlToText',
      text: { bytes: Buffer.from(body.content), charset: 'utf-8' },
    });
    return { html, text: wrap(content) };
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return { html };
  }
}

/** Lines of a mail end by CRLF, and neither CR nor LF stands alone (RFC 5322, section 2.3). */
const endLinesByCrlf = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n');

function headerFields(input: ComposeInput): Mail.Options {
  const { sender, thread } = input;
  return {
    from: toAddress(input.from),
    ...(sender && sender[1] !== input.from[1] ? { sender: toAddress(sender) } : {}),
    ...(input.replyTo && input.replyTo.length > 0 ? { replyTo: input.replyTo.map(toAddress) } : {}),
    to: input.to.map(toAddress),
    cc: input.cc.map(toAddress),
    bcc: input.bcc.map(toAddress),
    date: input.date,
    headers: { ...customHeaders(input.headers ?? {}), ...ownHeaders(input) },
    ...(thread && MESSAGE_ID.test(thread.inReplyTo)
      ? {
          inReplyTo: thread.inReplyTo,
          references: thread.references.filter((id) => MESSAGE_ID.test(id)).slice(-MAX_REFERENCES),
        }
      : {}),
  };
}

function ownHeaders({ priority, receiptTo, userAgent }: ComposeInput): Record<string, string> {
  const importance = priority === undefined || priority === 3 ? 'Normal' : priority < 3 ? 'High' : 'Low';
  return {
    'X-Mailer': userAgent,
    'X-Priority': String(priority ?? 3),
    Importance: importance,
    ...(receiptTo === undefined ? {} : { 'Disposition-Notification-To': receiptTo }),
  };
}

function customHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > MAX_CUSTOM_HEADERS) throw new ComposeError('badHeader', 'headers');
  for (const [name, value] of entries) {
    if (!CUSTOM_HEADER.test(name) || value.length > MAX_HEADER_LENGTH)
      throw new ComposeError('badHeader', name.slice(0, 100));
    requireNoControlCharacters(name, value);
  }
  return headers;
}

/** An address as it is composed; a text that is none yet is quoted, and is its own name, or parsers join it to the name that follows. */
function toAddress([name, address]: MailAddress): { name: string; address: string } {
  if (address === '' || address.includes('@')) return { name: name ?? '', address };
  return { name: name ?? address, address: `"${address.replace(/["\\]/g, '\\$&')}"` };
}
