import {
  ComposeErrors,
  MailErrors,
  MAX_COMPOSE_TEXT,
  RequestErrors,
  type ComposeSecurity,
  type ComposeSharedAttachments,
  type ComposeSpace,
  type ComposeUpdate,
  type ErrorFactory,
  type MailAddress,
} from '@groupware/contracts';

/** Longest subject, characters. */
export const MAX_SUBJECT = 1_024;
/** Longest list of addresses, characters of its JSON. */
const MAX_ADDRESSES = 65_536;
/** Longest text of a setting of the protection of a mail. */
const MAX_TEXT = 4_096;

/** Fields of a space as rows have them; what is absent stays as it is. */
export interface StoredFields {
  readonly sender?: string;
  readonly recipients?: string;
  readonly copies?: string;
  readonly blindCopies?: string;
  readonly replyTo?: string;
  readonly subject?: string;
  readonly content?: string;
  readonly contentType?: string;
  readonly receipt?: boolean;
  readonly priority?: string;
  readonly security?: string;
  readonly shared?: string;
  readonly claim?: string;
}

type Object = Readonly<Record<string, unknown>>;

const withoutZeros = (text: string): string => text.replaceAll('\u0000', '');
const asObject = (value: unknown): Object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Object) : {};
const asText = (value: unknown): string | null =>
  typeof value === 'string' ? withoutZeros(value).slice(0, MAX_TEXT) : null;

/** Fields that clients send, as rows have them. @throws MSGCS-0015, MSGCS-0016, MSGCS-0018 to MSGCS-0021, MSG-0088, SVL-0031 */
export function toStoredFields(update: ComposeUpdate): StoredFields {
  const { subject, content, contentType, requestReadReceipt, priority, security, sharedAttachments, claim } = update;
  if (subject !== undefined && subject !== null && subject.length > MAX_SUBJECT) throw ComposeErrors.subjectTooLong();
  if (content && content.length > MAX_COMPOSE_TEXT) throw MailErrors.mailTooLarge(MAX_COMPOSE_TEXT);
  requireText('sharedAttachments.password', asObject(sharedAttachments).password);
  requireText('security.pin', asObject(security).pin);
  return {
    ...(update.from === undefined ? {} : { sender: writeSender(update.from) }),
    ...writeList('recipients', 'to', update.to, ComposeErrors.toTooLong),
    ...writeList('copies', 'cc', update.cc, ComposeErrors.ccTooLong),
    ...writeList('blindCopies', 'bcc', update.bcc, ComposeErrors.bccTooLong),
    ...writeList('replyTo', 'reply_to', update.reply_to, ComposeErrors.replyToTooLong),
    ...(subject === undefined ? {} : { subject: withoutZeros(subject ?? '') }),
    ...(content === undefined ? {} : { content: withoutZeros(content ?? '') }),
    ...(contentType ? { contentType: toContentType(contentType) } : {}),
    ...(requestReadReceipt === undefined ? {} : { receipt: requestReadReceipt === true }),
    ...(priority === undefined ? {} : { priority: toPriority(priority) }),
    ...(security === undefined ? {} : { security: JSON.stringify(toSecurity(security)) }),
    ...(sharedAttachments === undefined ? {} : { shared: JSON.stringify(toShared(sharedAttachments)) }),
    ...(claim ? { claim } : {}),
  };
}

/** A secret of another type would be none: what it protects would be open. @throws SVL-0031 */
function requireText(name: string, value: unknown): void {
  if (value !== undefined && value !== null && typeof value !== 'string')
    throw RequestErrors.badBodyData(`${name}: a text is expected`);
}

/** The type of a text: anything that is no plain text is HTML with a plain one beside it. */
export const toContentType = (type: string): 'text/plain' | 'text/html' =>
  /^text\/plain\b/i.test(type) ? 'text/plain' : 'text/html';

/** Parses the name of a priority; unknown ones are normal. */
const toPriority = (priority: string | null | undefined): ComposeSpace['priority'] => {
  const wanted = priority?.toLowerCase();
  return wanted === 'low' || wanted === 'high' ? wanted : 'normal';
};

/** Protection of a mail with all its fields. */
export function toSecurity(value: unknown): ComposeSecurity {
  const { encrypt, pgpInline, sign, language, message, pin, msgRef } = asObject(value);
  return {
    encrypt: encrypt === true,
    pgpInline: pgpInline === true,
    sign: sign === true,
    language: asText(language),
    message: asText(message),
    pin: asText(pin),
    msgRef: asText(msgRef),
  };
}

/** How files go as links, with all its fields. */
export function toShared(value: unknown): ComposeSharedAttachments {
  const { enabled, language, autodelete, expiryDate, password } = asObject(value);
  return {
    enabled: enabled === true,
    language: asText(language),
    autodelete: autodelete === true,
    expiryDate: typeof expiryDate === 'number' && Number.isSafeInteger(expiryDate) ? expiryDate : null,
    password: asText(password),
  };
}

function writeSender(value: unknown): string {
  if (value === null) return 'null';
  // Some clients send a list with the one address.
  const pair = Array.isArray(value) && Array.isArray(value[0]) ? (value as unknown[])[0] : value;
  if (Array.isArray(pair) && pair.length === 0) return 'null';
  const text = JSON.stringify(toAddress('from', pair));
  if (text.length > MAX_ADDRESSES) throw ComposeErrors.fromTooLong();
  return text;
}

function writeList<K extends keyof StoredFields>(
  key: K,
  field: string,
  value: unknown,
  tooLong: ErrorFactory,
): Partial<Record<K, string>> {
  if (value === undefined) return {};
  if (value !== null && !Array.isArray(value))
    throw RequestErrors.badBodyData(`${field}: a list of addresses is expected`);
  const text = JSON.stringify(((value ?? []) as unknown[]).map((each) => toAddress(field, each)));
  if (text.length > MAX_ADDRESSES) throw tooLong();
  return { [key]: text } as Partial<Record<K, string>>;
}

/** A pair of name and address, or an address alone. It need not be one yet: it is being typed. */
function toAddress(field: string, value: unknown): MailAddress {
  const parts: unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
  const [name, address] = parts.length === 1 ? [null, parts[0]] : parts;
  if (typeof address !== 'string' || (name !== null && name !== undefined && typeof name !== 'string'))
    throw RequestErrors.badBodyData(`${field}: [name or null, address] is expected`);
  return [name ?? null, address];
}
