import { Field } from '../kit';
import { LINE_WRAP } from './mail-sending.model';
import type { MailAddress } from './mail.model';

/** Largest text of a mail, characters. */
export const MAX_COMPOSE_TEXT = 16_777_216;
/** Most bytes of all fields of a space. */
export const MAX_FIELDS_BYTES = 2 * MAX_COMPOSE_TEXT;
/** Longest text that is taken at all; what is too long for its field is told by errors of its own. */
const ANY_LENGTH = { maxLength: MAX_FIELDS_BYTES } as const;

const SPACE = { doc: 'Composition space: 32 hex digits', maxLength: 64 } as const;
const TOKEN = {
  doc: 'Token of the window; writing with another one than the last that claimed the space gives MSGCS-0010',
  optional: true,
  maxLength: 255,
} as const;

/** Which fields of spaces are told. */
export class ComposeListQuery {
  @Field.text({ doc: 'Names of fields, by comma; id comes always. Default: all', optional: true, maxLength: 2048 })
  columns?: string;
}

/** How a space is opened. */
export class ComposeOpenQuery {
  @Field.text({
    doc: 'new, which is the default; reply, replyall, forward, edit, copy or resend for the mails of the body, in any case',
    optional: true,
    maxLength: 32,
  })
  type?: string;
  @Field.boolean({ doc: 'true: ask for a receipt', optional: true }) requestReadReceipt?: boolean;
  @Field.text({ doc: 'low, normal or high', optional: true, maxLength: 32 }) priority?: string;
  @Field.text({
    doc: 'text/plain or text/html; default: as the original has it, else text/html',
    optional: true,
    maxLength: 64,
  })
  contentType?: string;
  @Field.boolean({ doc: 'true: an answer has the files of the original, too', optional: true })
  originalAttachments?: boolean;
  @Field.boolean({ doc: 'true: attach the vCard of the user', optional: true }) vcard?: boolean;
  @Field.text({ ...TOKEN, doc: 'Token of the window, which has the space from then on' }) clientToken?: string;
  @Field.text({ ...TOKEN, doc: 'As clientToken, by which newer clients name it' }) claim?: string;
}

/** A space. */
export class ComposeSpaceReading {
  @Field.text(SPACE) id!: string;
}

/** A space, and the window that uses it. */
export class ComposeSpaceQuery extends ComposeSpaceReading {
  @Field.text(TOKEN) clientToken?: string;
}

/** How the mail of a space is sent. */
export class ComposeSendQuery extends ComposeSpaceQuery {
  @Field.boolean({ doc: 'false: no copy in the folder for sent mails', optional: true }) copy2Sent?: boolean;
  @Field.int(LINE_WRAP) lineWrapAfter?: number;
}

/** An attachment of a space. */
export class ComposeAttachmentReading extends ComposeSpaceReading {
  @Field.text({ doc: 'Attachment: 32 hex digits', maxLength: 64 }) attachmentId!: string;
}

/** An attachment of a space, and the window that uses it. */
export class ComposeAttachmentQuery extends ComposeSpaceQuery {
  @Field.text({ doc: 'Attachment: 32 hex digits', maxLength: 64 }) attachmentId!: string;
}

/** A picture of a space. */
export class ComposePictureQuery {
  @Field.text({ doc: 'Ids of the space and of the attachment, one behind the other', maxLength: 128 }) uid!: string;
}

/** How an upload is attached. */
export class ComposeUpload {
  @Field.text({
    doc: 'ATTACHMENT, or INLINE for a picture of the text; default: ATTACHMENT',
    optional: true,
    maxLength: 32,
  })
  contentDisposition?: string;
}

/** Form of uploads and of objects of the user to attach. */
export class ComposeAttachForm extends ComposeUpload {
  @Field.text({
    doc: 'Documents and contacts of the user to attach, too: {origin: drive or contacts, id, folderId} or a list of them, as JSON; 100 at most',
    optional: true,
    maxLength: 65_536,
  })
  JSON?: string;
}

/** Fields of a space that change; others stay. */
export class ComposeUpdate {
  @Field.any({ doc: 'Author: [display name or null, address]', optional: true }) from?: unknown;
  @Field.any({ doc: 'Recipients: [[display name or null, address], …]', optional: true }) to?: unknown;
  @Field.any({ doc: 'Recipients of copies', optional: true }) cc?: unknown;
  @Field.any({ doc: 'Recipients of blind copies', optional: true }) bcc?: unknown;
  @Field.any({ doc: 'Whom answers go to', optional: true }) reply_to?: unknown;
  @Field.text({ doc: 'Subject, at most 1024 characters', optional: true, ...ANY_LENGTH }) subject?: string | null;
  @Field.text({ doc: 'Text, at most 16777216 characters', optional: true, ...ANY_LENGTH }) content?: string | null;
  @Field.text({ doc: 'text/plain or text/html', optional: true, maxLength: 64 }) contentType?: string | null;
  @Field.boolean({ doc: 'Whether the recipients are asked for a receipt', optional: true })
  requestReadReceipt?: boolean | null;
  @Field.text({ doc: 'low, normal or high', optional: true, maxLength: 32 }) priority?: string | null;
  @Field.any({ doc: 'encrypt, sign, pgpInline, language, message, pin, msgRef', optional: true }) security?: unknown;
  @Field.any({ doc: 'enabled, language, autodelete, expiryDate, password', optional: true })
  sharedAttachments?: unknown;
  @Field.text({
    doc: 'Token of the window that takes the space over; with a clientToken, only when no other one has it',
    optional: true,
    maxLength: 255,
  })
  claim?: string | null;
}

/** A file of a mail that is written. */
export interface ComposeAttachment {
  /** 32 hex digits. */
  readonly id: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly mimeType: string;
  /** Content-ID of a picture of the text. */
  readonly cid?: string;
  readonly contentDisposition: 'ATTACHMENT' | 'INLINE';
  readonly origin: 'MAIL' | 'DRIVE' | 'CONTACT' | 'VCARD' | 'UPLOAD';
}

/** A mail by its place, as spaces tell it. */
export interface ComposeOriginal {
  readonly originalId: string;
  readonly originalFolderId: string;
}

/** Kinds of spaces. */
export type ComposeType =
  'NEW' | 'REPLY' | 'REPLY_ALL' | 'FORWARD_INLINE' | 'FORWARD_ATTACHMENT' | 'EDIT' | 'COPY' | 'RESEND';

/** Purpose that a space was opened for. */
export interface ComposeMeta {
  readonly type: ComposeType;
  /** When the original was sent, ms UTC. */
  readonly date?: number;
  readonly originalId?: string;
  readonly originalFolderId?: string;
  readonly replyFor?: ComposeOriginal;
  readonly editFor?: ComposeOriginal;
  readonly forwardsFor?: readonly ComposeOriginal[];
}

/** How a mail is protected. */
export interface ComposeSecurity {
  readonly encrypt: boolean;
  readonly pgpInline: boolean;
  readonly sign: boolean;
  readonly language: string | null;
  readonly message: string | null;
  readonly pin: string | null;
  readonly msgRef: string | null;
}

/** How files go as links instead. */
export interface ComposeSharedAttachments {
  readonly enabled: boolean;
  readonly language: string | null;
  readonly autodelete: boolean;
  /** ms UTC. */
  readonly expiryDate: number | null;
  readonly password: string | null;
}

/** A mail that is written. */
export interface ComposeSpace {
  /** 32 hex digits. */
  readonly id: string;
  readonly from?: MailAddress;
  /** The user, who answers in the name of the owner of a shared folder. */
  readonly sender?: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly reply_to?: readonly MailAddress[];
  readonly subject: string;
  readonly content: string;
  readonly contentType: string;
  readonly attachments: readonly ComposeAttachment[];
  readonly meta: ComposeMeta;
  readonly requestReadReceipt: boolean;
  readonly priority: 'low' | 'normal' | 'high';
  readonly security: ComposeSecurity;
  readonly sharedAttachments: ComposeSharedAttachments;
}

/** Result of a deletion. */
export interface ComposeDeleted {
  readonly data: { readonly success: true };
  readonly success: true;
}
