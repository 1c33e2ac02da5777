import type { NewMail, PushMessage } from '@groupware/contracts';
import addressParser from 'nodemailer/lib/addressparser';
import { decodeWords } from './encoded-words';

/** Longest texts that are passed on. */
const MAX_TEXT = 500;
const ADDRESS = /^[^\s@<>"]+@[^\s@<>"]+$/;

const cut = (text: string): string => [...text.replace(/\s+/g, ' ').trim()].slice(0, MAX_TEXT).join('');
const textOf = (value: string | null | undefined): string | undefined => cut(decodeWords(value ?? '')) || undefined;

/** Sender of a mail. What is no address is told as it came. */
function senderOf(from: string | null | undefined): Pick<NewMail, 'email' | 'displayname'> {
  if (!from?.trim()) return {};
  const [parsed] = addressParser(from, { flatten: true });
  if (!parsed || !ADDRESS.test(parsed.address)) return { email: textOf(from) };
  const displayname = textOf(parsed.name);
  return { email: parsed.address, ...(displayname ? { displayname } : {}) };
}

/** What is told about a mail; undefined without folder or id. */
export function newMailOf(message: PushMessage): NewMail | undefined {
  const uid = message.imapUid;
  const id = typeof uid === 'number' || typeof uid === 'string' ? String(uid).trim() : '';
  const folder = message.folder?.trim();
  if (!folder || !id || id.length > 64) return undefined;
  const subject = textOf(message.subject);
  const teaser = textOf(message.snippet);
  return {
    folder: `default0/${folder}`,
    id,
    ...senderOf(message.from),
    ...(subject ? { subject } : {}),
    ...(typeof message.unseen === 'number' && message.unseen >= 0 ? { unread: message.unseen } : {}),
    ...(teaser ? { teaser } : {}),
  };
}
