import type { NewMail, PushMessage } from '@groupware/contracts';
import addressParser from 'nodemailer/lib/addressparser';
import { decodeWords } from './encoded-words';

/** Longest texts that are passed on. */
const MAX_TEXT = 500;
const ADDRESS = /^[^\s@<>"]+@[^\s@<>"]+$/;

const cut = (text: string): string => [...text.replace(/\s+/g, ' ').trim()].slice(0, MAX_TEXT).join('');
const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
const textOf = (value: unknown): string | undefined => cut(decodeWords(asText(value))) || undefined;

/** Sender of a mail. What is no address is told as it came. */
function senderOf(from: string): Pick<NewMail, 'email' | 'displayname'> {
  if (!from.trim()) return {};
  const [parsed] = addressParser(from, { flatten: true });
  if (!parsed || !ADDRESS.test(parsed.address)) return { email: textOf(from) };
  const displayname = textOf(parsed.name);
  return { email: parsed.address, ...(displayname ? { displayname } : {}) };
}

/** A count; some mail servers write numbers as texts. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Builds the notice of a mail; undefined without folder or id. */
export function newMailOf(message: PushMessage): NewMail | undefined {
  const uid = message.imapUid;
  const id = typeof uid === 'number' || typeof uid === 'string' ? String(uid).trim() : '';
  const folder = asText(message.folder).trim();
  if (!folder || !id || id.length > 64) return undefined;
  const subject = textOf(message.subject);
  const teaser = textOf(message.snippet);
  const unread = countOf(message.unseen);
  return {
    folder: `default0/${folder}`,
    id,
    ...senderOf(asText(message.from)),
    ...(subject ? { subject } : {}),
    ...(unread === undefined ? {} : { unread }),
    ...(teaser ? { teaser } : {}),
  };
}

/** The same mail with texts that are not longer than what is passed on. */
export function shorten(mail: NewMail): NewMail {
  const { displayname, subject, teaser } = mail;
  return {
    ...mail,
    ...(displayname ? { displayname: cut(displayname) } : {}),
    ...(subject ? { subject: cut(subject) } : {}),
    ...(teaser ? { teaser: cut(teaser) } : {}),
  };
}
