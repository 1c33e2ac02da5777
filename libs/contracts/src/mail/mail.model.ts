import { Field } from '../kit';

/** Bits of the field `flags`. */
export const MAIL_FLAGS = {
  answered: 1,
  deleted: 2,
  draft: 4,
  flagged: 8,
  recent: 16,
  seen: 32,
  userFlags: 64,
  spam: 128,
  forwarded: 256,
  readReceipt: 512,
} as const;

/** An address: display name or null, and address. */
export type MailAddress = readonly [personal: string | null, address: string];

/** A part of a mail as `get` tells it: body parts with their content first, then files. */
export class MailAttachment {
  @Field.text({ doc: 'Part number (RFC 3501); files within winmail.dat have one more number' }) id!: string;
  @Field.text({ doc: 'Media type in lower case', optional: true }) content_type?: string | null;
  @Field.text({ doc: 'File name', optional: true }) filename?: string | null;
  @Field.number({ doc: 'Bytes; estimated from the encoded ones unless exact ones were asked for', optional: true })
  size?: number;
  @Field.text({ doc: 'inline, attachment or alternative', optional: true }) disp?: string | null;
  @Field.text({ doc: 'Text of a body part; null for files', optional: true }) content?: string | null;
  @Field.text({ doc: 'Content-ID without brackets', optional: true }) cid?: string;
  @Field.boolean({ doc: 'The content was cut at max_size', optional: true }) truncated?: boolean;
}

/** Result of one mechanism that the receiving server examined a mail by. */
export class MailMechanismResult {
  @Field.text({ doc: 'Result as RFC 8601 names it: pass, fail, softfail, neutral, none, policy, temperror, permerror' })
  result!: string;
  @Field.text({ doc: 'Domain that it is about', optional: true }) domain?: string;
  @Field.text({ doc: 'Address of the server that sent the mail; of SPF', optional: true }) client_ip?: string;
  @Field.text({ doc: 'Why, in words of the receiving server', optional: true }) reason?: string;
}

/** A result that does not decide on the authenticity of a mail. */
export class UnconsideredMailResult extends MailMechanismResult {
  @Field.text({ doc: 'Mechanism in lower case, such as dkim, iprev or auth' }) mechanism!: string;
}

/** Results of the mechanisms that decide on the authenticity of a mail, those that there are, and what there is beside. */
export class MailMechanismResults {
  @Field.object(() => MailMechanismResult, { doc: 'SPF', optional: true }) spf?: MailMechanismResult;
  @Field.object(() => MailMechanismResult, { doc: 'DKIM', optional: true }) dkim?: MailMechanismResult;
  @Field.object(() => MailMechanismResult, { doc: 'DMARC', optional: true }) dmarc?: MailMechanismResult;
  @Field.list(() => UnconsideredMailResult, {
    doc: 'Results that do not count: of other mechanisms, and further ones of these',
    optional: true,
  })
  unconsidered_results?: UnconsideredMailResult[];
}

const MAIL_AUTHENTICITY_STATUSES = ['pass', 'fail', 'neutral', 'none', 'not_analyzed'] as const;

/** Whether the author of a mail is who it says, by what trusted servers found (RFC 8601). */
export class MailAuthenticity extends MailMechanismResults {
  @Field.text({
    doc: 'pass, fail, neutral: the results do not decide, none: there are no results, or not_analyzed: it is older than com.example.mail.authenticity.threshold',
    values: MAIL_AUTHENTICITY_STATUSES,
  })
  status!: (typeof MAIL_AUTHENTICITY_STATUSES)[number];
  @Field.boolean({ doc: 'Whether the operator trusts the author, too' }) trusted!: boolean;
  @Field.text({ doc: 'Picture of the author for image/mail/trustedMail/picture', optional: true }) image?: string;
  @Field.text({ doc: 'Domain of the author', optional: true }) from_domain?: string;
  @Field.boolean({ doc: 'Whether another domain than that of the author passed, and not its own', optional: true })
  domain_mismatch?: boolean;
}

const addresses = (doc: string) => ({ doc: `${doc}: [[display name or null, address], …]`, optional: true }) as const;

/** A mail (column table "Mail"). */
export class MailData {
  @Field.int({ column: 102, doc: 'Colour: 0 none, 1 to 10', optional: true }) color_label?: number;
  @Field.int({ column: 309, doc: 'Always null', optional: true }) total?: number;
  @Field.int({ column: 310, doc: 'Always null', optional: true }) new?: number;
  @Field.int({ column: 311, doc: 'Unread mails of the folder; -1 unknown', optional: true }) unread?: number;
  @Field.int({ column: 312, doc: 'Always null', optional: true }) deleted?: number;
  @Field.text({ column: 600, doc: 'Id: the UID of the server', optional: true }) id?: string;
  @Field.text({ column: 601, doc: 'Folder, with account', optional: true }) folder_id?: string;
  @Field.boolean({ column: 602, doc: 'Whether it has attachments', optional: true }) attachment?: boolean;
  @Field.any({ column: 603, ...addresses('Authors') }) from?: readonly MailAddress[];
  @Field.any({ column: 604, ...addresses('Recipients') }) to?: readonly MailAddress[];
  @Field.any({ column: 605, ...addresses('Recipients of copies') }) cc?: readonly MailAddress[];
  @Field.any({ column: 606, ...addresses('Recipients of blind copies') }) bcc?: readonly MailAddress[];
  @Field.text({ column: 607, doc: 'Subject, decoded', optional: true }) subject?: string;
  @Field.number({ column: 608, doc: 'Bytes of the source', optional: true }) size?: number;
  @Field.time({ column: 609, doc: 'Header Date', optional: true }) sent_date?: number;
  @Field.time({ column: 610, doc: 'Time the server received it', optional: true }) received_date?: number;
  @Field.int({
    column: 611,
    doc: 'Bits: 1 answered, 2 deleted, 4 draft, 8 flagged, 16 recent, 32 seen, 64 user flags possible, 128 spam, 256 forwarded, 512 read receipt sent',
    optional: true,
  })
  flags?: number;
  @Field.int({ column: 612, doc: 'Depth in its thread, when sorted so; else 0', optional: true }) level?: number;
  @Field.text({ column: 613, doc: 'Whom a read receipt goes to; null once the mail is seen', optional: true })
  disp_notification_to?: string;
  @Field.int({ column: 614, doc: '1, 2 high, 3 normal, 4, 5 low', optional: true }) priority?: number;
  @Field.text({
    column: 615,
    name: 'msg_ref',
    doc: 'Path of the mail that a draft refers to, else that of the draft',
    optional: true,
  })
  msgref?: string;
  @Field.text({ column: 650, doc: 'Folder, with account', optional: true }) folder?: string;
  @Field.any({ column: 651, doc: 'To sort by only', optional: true }) flag_seen?: null;
  @Field.text({ column: 652, doc: 'Name of the account', optional: true }) account_name?: string;
  @Field.int({ column: 653, doc: 'Account', optional: true }) account_id?: number;
  @Field.text({ column: 654, doc: 'Id in the folder that holds it', optional: true }) original_id?: string;
  @Field.text({ column: 655, doc: 'Folder that holds it', optional: true }) original_folder_id?: string;
  @Field.text({ column: 656, doc: 'Media type of the whole mail in lower case', optional: true }) content_type?: string;
  @Field.boolean({ column: 657, doc: 'To sort by', optional: true }) answered?: boolean;
  @Field.boolean({ column: 658, doc: 'To sort by', optional: true }) forwarded?: boolean;
  @Field.boolean({ column: 659, doc: 'To sort by', optional: true }) draft?: boolean;
  @Field.boolean({ column: 660, doc: 'To sort by', optional: true }) flagged?: boolean;
  @Field.time({ column: 661, doc: 'received_date, or sent_date where the server prefers it', optional: true })
  date?: number;
  @Field.text({ column: 662, name: 'text_preview', doc: 'Begin of the text where the server has it', optional: true })
  quick_preview?: string;
  @Field.text({ column: 663, doc: 'Begin of the text', optional: true }) text_preview?: string;
  @Field.object(() => MailAuthenticity, {
    column: 664,
    doc: 'The authenticity but for the results of its mechanisms; null unless com.example.mail.authenticity.enabled',
    optional: true,
  })
  authentication_overall_result?: Omit<MailAuthenticity, keyof MailMechanismResults>;
  @Field.object(() => MailMechanismResults, {
    column: 665,
    doc: 'Results of the mechanisms of the authenticity; null unless com.example.mail.authenticity.enabled',
    optional: true,
  })
  authentication_mechanism_results?: MailMechanismResults;
  @Field.any({ doc: 'Keywords of the server beside those for colours and states', optional: true })
  user?: readonly string[];
  @Field.any({ doc: 'Other headers: a text, or a list of them when there are several', optional: true })
  headers?: Readonly<Record<string, string | readonly string[]>>;
  @Field.list(() => MailAttachment, { doc: 'Body parts, then files', optional: true }) attachments?: MailAttachment[];
  @Field.any({ doc: 'Mails within the mail', optional: true }) nested_msgs?: readonly NestedMail[];
  @Field.boolean({ doc: 'Whether it was unread before this call', optional: true }) unseen?: boolean;
  @Field.int({ doc: '1 when external images were left out', optional: true }) modified?: number;
  @Field.boolean({ doc: 'Links are without effect: the folder is one of malicious mails', optional: true })
  malicious?: boolean;
  @Field.text({ doc: 'Source, on demand', optional: true }) source?: string;
  @Field.object(() => MailAuthenticity, {
    doc: 'Whether its author is who it says; only with com.example.mail.authenticity.enabled',
    optional: true,
  })
  authenticity?: MailAuthenticity;
}

/** A mail within a mail. */
export interface NestedMail extends MailData {
  /** Name that it has as a file. */
  readonly filename?: string;
}

/** A conversation: the fields of its first mail, and all its mails. */
export interface MailConversation extends MailData {
  readonly unreadCount: number;
  /** Mails, newest first; their ids where the request wants no objects. */
  readonly thread: readonly MailData[] | readonly string[];
}

/** A thread: the fields of its root, the ids of its root and of its newest mail, and all its mails. */
export interface MailThread extends MailData {
  readonly rootMailId: string;
  readonly rootOriginalMailId: string;
  readonly rootOriginalFolderId: string;
  readonly latestMailId: string;
  readonly latestOriginalMailId: string;
  readonly latestOriginalFolderId: string;
  /** In the zone of the request. */
  readonly latestReceivedDate: number;
  /** Mails, newest first. */
  readonly thread: readonly MailData[];
}

/** A file of a mail that was saved. */
export class SavedMailAttachment {
  @Field.text({ doc: 'Folder of the mail, with account' }) mailFolder!: string;
  @Field.text({ doc: 'Mail' }) mailUID!: string;
  @Field.text({ doc: 'Document' }) id!: string;
  @Field.text({ doc: 'Folder of the document' }) folder_id!: string;
  @Field.text({ doc: 'Name of the document: another one where the folder had one of this name' }) filename!: string;
}

/** The place of a mail. */
export class MailLocation {
  @Field.text({ doc: 'Folder, with account' }) folder_id!: string;
  @Field.text({ doc: 'Id in that folder; absent where the server does not tell it', optional: true }) id?: string;
}

/** State of a folder that clients compare to learn whether to load it again. */
export class MailFolderState {
  @Field.text({ doc: 'Validity of ids (UIDVALIDITY)' }) validity!: string;
  @Field.int({ doc: 'Mails' }) total!: number;
  @Field.int({ doc: 'Unread mails' }) unread!: number;
  @Field.text({ doc: 'Id of the next new mail (UIDNEXT)' }) next!: string;
}

/** Numbers of a folder after a change. */
export interface AffectedMailFolders {
  readonly conflicts: readonly never[];
  readonly folders: Readonly<Record<string, { readonly total: number; readonly unread: number }>>;
}
