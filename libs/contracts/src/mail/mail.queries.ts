import { Field } from '../kit';
import { PictureQuery } from '../pictures';

const FOLDER = { doc: 'Folder: default<account>/<full name>; a bare full name is of the primary account' } as const;

/** Columns of an answer. */
export class MailColumnsQuery {
  @Field.columns({ doc: 'Column numbers, or all, or list; any other name is that of a header' }) columns!: string[];
  @Field.columns({ doc: 'Names of headers, told behind the columns', optional: true }) headers?: string[];
  @Field.text({ doc: 'Zone of times; default: the zone of the user', optional: true, maxLength: 128 })
  timezone?: string;
}

/** One folder. */
export class MailFolderQuery {
  @Field.text(FOLDER) folder!: string;
}

/** The mails of a folder in an order, and which part of them. */
export class MailOrderQuery extends MailColumnsQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.text({ doc: 'Column to sort by, or thread; default: 610', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({ doc: 'asc or desc; needed with sort', optional: true, maxLength: 16 }) order?: string;
  @Field.boolean({ doc: 'Only unread mails', optional: true }) unseen?: boolean;
  @Field.boolean({ doc: 'false leaves out mails that are marked as deleted', optional: true }) deleted?: boolean;
  @Field.text({ doc: 'First row wanted, from 0; only with right_hand_limit', optional: true, maxLength: 32 })
  left_hand_limit?: string;
  @Field.text({ doc: 'Row after the last one wanted', optional: true, maxLength: 32 }) right_hand_limit?: string;
  @Field.text({ doc: 'Number of rows, or first row and row after the last one', optional: true, maxLength: 64 })
  limit?: string;
}

/** The mails of a folder: which, in which order, and which part of them. */
export class MailListQuery extends MailOrderQuery {
  @Field.text({ doc: 'Only mails of this category, or general: those in none', optional: true, maxLength: 128 })
  categoryid?: string;
  @Field.text({ doc: 'Older name of categoryid', optional: true, maxLength: 128 }) filter?: string;
}

/** The conversations of a folder. */
export class MailConversationsQuery extends MailListQuery {
  @Field.boolean({ doc: 'Also own answers, from the folder for sent mail', optional: true }) includeSent?: boolean;
  @Field.text({ doc: 'Only the newest so many mails; -1: all', optional: true, maxLength: 32 }) max?: string;
  @Field.boolean({ doc: 'false: the thread of a conversation is the ids of its mails; default true', optional: true })
  writeThreadAsObjects?: boolean;
}

/** Threads of a folder with some mails. */
export class MailThreadsQuery extends MailColumnsQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.text({ doc: 'Column to sort by, of the newest mails; default: 610', optional: true, maxLength: 64 })
  sort?: string;
  @Field.text({ doc: 'asc or desc; needed with sort', optional: true, maxLength: 16 }) order?: string;
  @Field.int({ doc: 'Fewest mails of a thread', optional: true, min: 0 }) size?: number;
}

/** Changes of a folder. */
export class MailUpdatesQuery extends MailColumnsQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.text({ doc: 'deleted, changed, or both', optional: true, maxLength: 64 }) ignore?: string;
}

/** One mail. */
export class MailQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.id({ doc: 'Mail', optional: true }) id?: string;
  @Field.text({ doc: 'Header Message-ID instead of the id', optional: true, maxLength: 998 }) message_id?: string;
}

/** Names a mail. */
export class MailReference {
  @Field.text({ ...FOLDER, optional: true }) folder?: string;
  @Field.text({ doc: 'Other spelling of folder', optional: true }) folder_id?: string;
  @Field.id({ doc: 'Mail' }) id!: string;
}

/** How a mail is read. */
export class MailGetQuery extends MailQuery {
  @Field.boolean({ doc: '1: only the headers, as they are', optional: true }) hdr?: boolean;
  @Field.boolean({ doc: '1: the source', optional: true }) src?: boolean;
  @Field.boolean({ doc: '1: the source as a file', optional: true }) save?: boolean;
  @Field.boolean({ doc: '1 leaves the mail unread, if it is', optional: true }) unseen?: boolean;
  @Field.text({
    doc: 'document: a page instead of an object; html; noimg: without pictures of other servers (default); text; textNoHtmlAttach: text without the HTML beside it; raw: unchanged, unsafe',
    optional: true,
    maxLength: 32,
  })
  view?: string;
  @Field.boolean({ doc: 'true shows pictures of other servers although the view leaves them out', optional: true })
  forceImages?: boolean;
  @Field.boolean({ doc: 'true: HTML for within a page, with names and rules of its own', optional: true })
  embedded?: boolean;
  @Field.int({ doc: 'Most characters of a text, at least 10240; 0: all', optional: true, min: 0 }) max_size?: number;
  @Field.boolean({ doc: '1: for an editor, plain text unchanged', optional: true }) edit?: boolean;
  @Field.boolean({ doc: 'false: plain text unchanged', optional: true }) process_plain_text?: boolean;
  @Field.boolean({ doc: '1: also the source', optional: true }) attach_src?: boolean;
  @Field.boolean({ doc: 'true counts the bytes of files', optional: true }) exact_length?: boolean;
  @Field.boolean({ doc: 'false counts the bytes of files', optional: true }) estimate_length?: boolean;
  @Field.boolean({ doc: 'true: of mails within the mail only the ids', optional: true }) no_nested_message?: boolean;
  @Field.boolean({ doc: 'false: of mails within the mail only the ids', optional: true })
  allow_nested_messages?: boolean;
  @Field.text({ doc: 'Zone of times; default: the zone of the user', optional: true, maxLength: 128 })
  timezone?: string;
}

/** A file of a mail. */
export class MailAttachmentQuery extends PictureQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.id({ doc: 'Mail' }) id!: string;
  @Field.text({ doc: 'Part number, as attachments of get have it', optional: true, maxLength: 256 })
  attachment?: string;
  @Field.text({ doc: 'Content-ID instead of the part number', optional: true, maxLength: 998 }) cid?: string;
  @Field.boolean({ doc: '1: to be saved, not shown; the mail stays unread', optional: true }) save?: boolean;
  @Field.text({ doc: 'view, or download as with save=1', optional: true, maxLength: 32 }) delivery?: string;
  @Field.boolean({ doc: '1: of HTML a page that runs nothing', optional: true }) filter?: boolean;
  @Field.boolean({ doc: 'true refuses a file with a virus', optional: true }) scan?: boolean;
  @Field.boolean({ doc: 'true: a mail within the mail as an object, as get tells it', optional: true })
  as_json?: boolean;
  @Field.boolean({ doc: 'false: of mails within that mail only the ids', optional: true })
  allow_nested_messages?: boolean;
  @Field.text({ doc: 'Zone of times of that mail; default: the zone of the user', optional: true, maxLength: 128 })
  timezone?: string;
  @Field.boolean({ doc: '1 leaves the mail unread, if it is', optional: true }) unseen?: boolean;
}

/** A file of a mail that is saved, and the folder it goes into. */
export class MailAttachmentSavingQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.id({ doc: 'Mail' }) id!: string;
  @Field.text({ doc: 'Part number, as attachments of get have it', maxLength: 256 }) attachment!: string;
  @Field.text({ doc: 'Folder of files that it is saved into', maxLength: 256 }) dest_folder!: string;
}

/** Known data of a file that is saved. */
export class MailAttachmentSavingBody {
  @Field.text({ doc: 'Folder of files, before that of the parameter', optional: true, maxLength: 256 })
  folder_id?: string | null;
  @Field.text({ doc: 'Name; default: that in the mail', optional: true }) filename?: string | null;
  @Field.text({ doc: 'Title; default: the name', optional: true }) title?: string | null;
  @Field.text({ doc: 'Description', optional: true }) description?: string | null;
}

/** Files of a mail. */
export class MailAttachmentsQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.id({ doc: 'Mail' }) id!: string;
  @Field.columns({ doc: 'Part numbers, as attachments of get have them; default: all files', optional: true })
  attachment?: string[];
  @Field.boolean({ doc: 'true refuses files with a virus', optional: true }) scan?: boolean;
}

/** Mails of a folder. */
export class MailsQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.columns({ doc: 'Mails' }) id!: string[];
}

/** A picture within a mail. */
export class MailPictureQuery extends PictureQuery {
  @Field.text(FOLDER) folder!: string;
  @Field.id({ doc: 'Mail' }) id!: string;
  @Field.text({ doc: 'Content-ID without brackets, or the name of the file', maxLength: 998 }) uid!: string;
  @Field.int({ doc: 'Account, for a folder that does not name it', optional: true, min: 0 }) accountId?: number;
}

/** The picture of a sender that is trusted. */
export class TrustedMailPictureQuery extends PictureQuery {
  @Field.text({ doc: 'Name of the picture, as the operator gave it', maxLength: 255 }) uid!: string;
}

/** Which mails change; without id and message_id all of the folder: one that is there names a mail, and is not empty. */
export class MailUpdateQuery extends MailQuery {
  @Field.id({ doc: 'Mail; an empty one is refused', optional: true, keepsEmpty: true }) override id?: string;
  @Field.text({
    ...{ doc: 'Header Message-ID instead of the id; an empty one is refused', optional: true, keepsEmpty: true },
    ...{ minLength: 1, maxLength: 998 },
  })
  override message_id?: string;
}

/** Changes of mails, in this order: colour, flags, folder. */
export class MailUpdateBody {
  @Field.int({ doc: 'Colour: 0 none, 1 to 10', optional: true }) color_label?: number;
  @Field.int({ doc: 'Bits of flags, see value', optional: true, min: 0 }) flags?: number;
  @Field.boolean({ doc: 'true sets them; false or absent clears them', optional: true }) value?: boolean;
  @Field.int({ doc: 'Bits of flags to set', optional: true, min: 0 }) set_flags?: number;
  @Field.int({ doc: 'Bits of flags to clear', optional: true, min: 0 }) clear_flags?: number;
  @Field.text({ doc: 'Folder to move to', optional: true }) folder_id?: string;
}

/** Target of a copy. */
export class MailCopyBody {
  @Field.text({ doc: 'Folder of the copy' }) folder_id!: string;
}

/** How mails are deleted. */
export class MailDeletionQuery {
  @Field.boolean({ doc: 'true: not into the trash', optional: true }) harddelete?: boolean;
  @Field.boolean({ doc: 'Answer the numbers of the folders concerned', optional: true })
  returnAffectedFolders?: boolean;
  @Field.timestamp({ doc: 'Without effect: mails have no time of their last change', optional: true })
  timestamp?: number;
}

/** How folders are emptied. */
export class MailClearingQuery {
  @Field.boolean({ doc: 'true: not into the trash', optional: true }) hardDelete?: boolean;
  @Field.timestamp({ doc: 'Without effect: mails have no time of their last change', optional: true })
  timestamp?: number;
}

/** How a folder is archived. */
export class MailFolderArchiveQuery extends MailFolderQuery {
  @Field.int({ doc: 'Only mails older than so many days; default 90', optional: true, min: 0, max: 100_000 })
  days?: number;
}
