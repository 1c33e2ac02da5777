import { Field } from '../kit';
import { ConversionEnd } from './conversion.contract';

/** Field of queries by which mails are sent. */
export const LINE_WRAP = {
  doc: 'Longest line of plain text; 0: any; default: as the user set it',
  optional: true,
  min: 0,
  max: 998,
} as const;

/** How the answer to a mail is prepared. */
export class MailReplyQuery {
  @Field.text({ doc: 'Folder: default<account>/<full name>' }) folder!: string;
  @Field.text({ doc: 'Mail', maxLength: 1024 }) id!: string;
  @Field.text({ doc: 'text or html; default: as the original', optional: true, maxLength: 32 }) view?: string;
  @Field.boolean({ doc: 'true: fill from with the address the mail came to', optional: true }) setFrom?: boolean;
  @Field.int({ doc: 'Most characters of the text, at least 10240; 0: all', optional: true, min: 0 }) max_size?: number;
}

/** How mails to forward are prepared. */
export class MailForwardQuery {
  @Field.text({ doc: 'Folder: default<account>/<full name>' }) folder!: string;
  @Field.text({ doc: 'Mail', maxLength: 1024 }) id!: string;
  @Field.text({ doc: 'text or html; default: as the original', optional: true, maxLength: 32 }) view?: string;
  @Field.int({ doc: 'Most characters of the text, at least 10240; 0: all', optional: true, min: 0 }) max_size?: number;
}

/** How a mail is sent, or where it is stored instead. */
export class MailSendingQuery {
  @Field.text({ doc: 'Store it in this folder instead of sending it', optional: true })
  folder?: string;
  @Field.int({ doc: 'Bits of flags, with folder', optional: true, min: 0 }) flags?: number;
  @Field.int(LINE_WRAP) lineWrapAfter?: number;
  @Field.boolean({ doc: 'false: no copy in the folder for sent mails', optional: true }) copy2Sent?: boolean;
}

/** How the source of a mail is sent, or where it is stored instead. */
export class MailSourceQuery {
  @Field.text({ doc: 'Store it in this folder instead of sending it', optional: true })
  folder?: string;
  @Field.int({ doc: 'Bits of flags, with folder', optional: true, min: 0 }) flags?: number;
  @Field.boolean({ doc: 'true: the sender may be anybody, with folder', optional: true }) force?: boolean;
  @Field.boolean({ doc: 'false: no copy in the folder for sent mails', optional: true }) copy2Sent?: boolean;
}

/** How mails are imported. */
export class MailImportQuery {
  @Field.text({ doc: 'Folder: default<account>/<full name>' }) folder!: string;
  @Field.int({ doc: 'Bits of flags', optional: true, min: 0 }) flags?: number;
  @Field.boolean({ doc: 'true: the senders may be anybody', optional: true }) force?: boolean;
  @Field.boolean({ doc: 'true: received when the newest header Received says', optional: true })
  preserveReceivedDate?: boolean;
}

const addresses = (doc: string) =>
  ({ doc: `${doc}: [[display name or null, address], …], or a text as headers have it`, optional: true }) as const;

/** A text or a file of a mail that is written. */
export class MailDraftPart {
  @Field.id({ doc: 'Part of the mail in msgref', optional: true }) id?: string;
  @Field.text({
    doc: 'text/plain, text/html or ALTERNATIVE for the text; message/rfc822 with msgref: the whole mail, whatever id',
    optional: true,
    maxLength: 255,
  })
  content_type?: string | null;
  @Field.text({ doc: 'Text, of the first part alone', optional: true, maxLength: 16_777_216 }) content?: string | null;
  @Field.text({ doc: 'Path of a mail: the whole of it, or its part id', optional: true, maxLength: 2048 })
  msgref?: string | null;
}

/** How files of a mail go as a link. */
export class MailDraftSharing {
  @Field.boolean({
    doc: 'true: the files go to a new folder of the user, and a link to it into the mail',
    optional: true,
  })
  enable?: boolean | null;
  @Field.text({ doc: 'Language of the text beside the link; default: that of the user', optional: true, maxLength: 64 })
  instruction_language?: string | null;
  @Field.timestamp({ doc: 'End of the link', optional: true }) expiry_date?: number | null;
  @Field.boolean({ doc: 'true: the files end with the link', optional: true }) autodelete?: boolean | null;
  @Field.text({ doc: 'Password of the link', optional: true, maxLength: 4096 }) password?: string | null;
}

/** A mail that is written. */
export class MailDraft {
  @Field.any(addresses('Author; default: the address of the account')) from?: unknown;
  @Field.any(addresses('Recipients')) to?: unknown;
  @Field.any(addresses('Recipients of copies')) cc?: unknown;
  @Field.any(addresses('Recipients of blind copies')) bcc?: unknown;
  @Field.any(addresses('Whom answers go to')) reply_to?: unknown;
  @Field.text({ doc: 'Subject', optional: true, maxLength: 4096 }) subject?: string | null;
  @Field.list(() => MailDraftPart, {
    doc: 'The text, then files of the mail in msgref',
    optional: true,
    maxItems: 1_000,
  })
  attachments?: MailDraftPart[];
  @Field.listOf('id', { doc: 'Documents of the user that are attached', optional: true, maxItems: 1_000 })
  infostore_ids?: string[];
  @Field.list(() => ConversionEnd, {
    doc: 'Data that is attached, from the sources of conversions: contacts as vCards, parts of mails as they are',
    optional: true,
    maxItems: 100,
  })
  datasources?: ConversionEnd[];
  @Field.any({ doc: '1: attach the vCard of the user; a draft that has it gets no second one', optional: true })
  vcard?: unknown;
  @Field.object(() => MailDraftSharing, { doc: 'How files go as a link when the mail is sent', optional: true })
  share_attachments?: MailDraftSharing | null;
  @Field.int({ doc: '1, 2 high, 3 normal, 4, 5 low', optional: true }) priority?: number;
  @Field.any({ doc: 'true: ask for a receipt', optional: true }) disp_notification_to?: unknown;
  @Field.int({ doc: 'Bits of flags; 4: save as draft', optional: true, min: 0 }) flags?: number;
  @Field.text({
    doc: 'Path of the mail that is answered, forwarded or edited; several by comma',
    optional: true,
    maxLength: 65_536,
  })
  msgref?: string | null;
  @Field.int({
    doc: '0 new, 1 answer, 2 forward, 3 edited draft, 4 and 6 sent draft, 5 the same, kept',
    optional: true,
    min: 0,
  })
  sendtype?: number;
  @Field.any({ doc: 'Headers, X-… only', optional: true }) headers?: unknown;
  @Field.boolean({ doc: 'false: no copy in the folder for sent mails', optional: true }) copy2Sent?: boolean;
  @Field.boolean({ doc: 'Delete the draft that is sent', optional: true }) deleteDraftOnTransport?: boolean;
}

/** The outcome of one file of an import. */
export class MailImportResult {
  @Field.text({ doc: 'Folder, with account', optional: true }) folder_id?: string;
  @Field.text({ doc: 'Id in that folder', optional: true }) id?: string;
  @Field.text({ doc: 'Name of the file that was refused', optional: true }) filename?: string;
  @Field.text({ doc: 'Why', optional: true }) error?: string;
  @Field.text({ doc: 'Code of that error', optional: true }) code?: string;
}

/** A read receipt that is sent. */
export class MailReceiptBody {
  @Field.text({ doc: 'Folder: default<account>/<full name>' }) folder!: string;
  @Field.id({ doc: 'Mail' }) id!: string;
  @Field.text({ doc: 'Address that sends it; default: the one the mail came to', optional: true, maxLength: 998 })
  from?: string | null;
}
