import { Field } from '../../kit';

/** Kinds of feedback. */
export const FEEDBACK_TYPES = ['star-rating-v1', 'nps-v1'] as const;

/** See {@link FEEDBACK_TYPES}. */
export type FeedbackType = (typeof FEEDBACK_TYPES)[number];

/** One entry as it is exported: every value is a text, and a value that is not known is empty. */
export class FeedbackRecord {
  @Field.text({ doc: '`yyyy-MM-dd HH:mm:ss`, UTC' }) date!: string;
  @Field.text({ doc: 'Stars from 1, or the likelihood to recommend' }) score!: string;
  @Field.text({ doc: 'Question, nps-v1 only', optional: true }) questionid?: string;
  @Field.text({ doc: 'Comment' }) comment!: string;
  @Field.text({ doc: 'Part of the client it is about' }) app!: string;
  @Field.text({ doc: 'Part of the client it was given in' }) entry_point!: string;
  @Field.text({ doc: 'Operating system' }) operating_system!: string;
  @Field.text({ doc: 'Browser' }) browser!: string;
  @Field.text({ doc: 'Version of the browser' }) browser_version!: string;
  @Field.text({ doc: 'User agent' }) user_agent!: string;
  @Field.text({ doc: 'Screen resolution' }) screen_resolution!: string;
  @Field.text({ doc: 'Language' }) language!: string;
  @Field.text({ doc: 'Pseudonym: MD5 of `context:user`; empty once the user is forgotten' }) user!: string;
  @Field.text({ doc: 'Version of the server' }) server_version!: string;
  @Field.text({ doc: 'Version of the client' }) client_version!: string;
}

/** Recipient of a report. */
export class FeedbackRecipient {
  @Field.text({ doc: 'Mail address', maxLength: 1_024 }) address!: string;
  @Field.text({ doc: 'Name', optional: true, maxLength: 256 }) displayName?: string;
  @Field.text({ doc: 'ASCII-armoured public PGP key: the mail is encrypted', optional: true, maxLength: 131_072 })
  pgp_key?: string;
}

/** A report to send. */
export class FeedbackMailRequest {
  @Field.text({ doc: 'Subject; default: one that names the range', optional: true, maxLength: 998 }) subject?: string;
  @Field.text({ doc: 'Text; default: none', optional: true, maxLength: 65_536 }) body?: string;
  @Field.boolean({ doc: 'Compress the attachment with gzip', optional: true }) compress?: boolean;
  @Field.list(() => FeedbackRecipient, { doc: 'Recipients; at most 100 unless configured', maxItems: 10_000 })
  recipients!: FeedbackRecipient[];
}

/** Recipients of a report, by kind of mail; kinds without addresses are left out. */
export class FeedbackSendResult {
  @Field.listOf('text', { doc: 'Neither signed nor encrypted', optional: true }) normal?: string[];
  @Field.listOf('text', { doc: 'Signed', optional: true }) sign?: string[];
  @Field.listOf('text', { doc: 'Encrypted', optional: true }) encrypt?: string[];
  @Field.listOf('text', { doc: 'Signed and encrypted', optional: true }) pgp?: string[];
  @Field.listOf('text', { doc: 'Not sent: the address is invalid or was refused', optional: true }) fail?: string[];
  @Field.listOf('text', { doc: 'Not sent: the PGP key is not usable', optional: true }) pgpFail?: string[];
}

/** Type and range of the deleted feedback. */
export class FeedbackDeleteResult {
  @Field.text({ doc: '`true`' }) successful!: string;
  @Field.text({ doc: 'Type of feedback' }) type!: string;
  @Field.text({ doc: 'Context group' }) contextGroup!: string;
  @Field.int({ doc: 'Begin as it was asked for', optional: true, min: 0, max: Number.MAX_SAFE_INTEGER }) start?: number;
  @Field.int({ doc: 'End as it was asked for', optional: true, min: 0, max: Number.MAX_SAFE_INTEGER }) end?: number;
}
