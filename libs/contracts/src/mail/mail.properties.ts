import { property, type PropertyScope } from '../kit';

const everywhere: readonly PropertyScope[] = ['user', 'context', 'server'];

/** Folder with all mails, for searches that name none. */
export const ALL_MAILS_FOLDER = property({
  key: 'com.example.find.basic.mail.allMessagesFolder',
  default: '',
  scopes: everywhere,
  doc: 'Full name of the folder of the mail server that has all mails: `find` searches it where no folder is named. Empty: a folder must be named.',
});

/** Whether texts are looked for in mails as well. */
export const FIND_IN_MAIL_TEXTS = property({
  key: 'com.example.find.basic.mail.searchmailbody',
  default: false,
  scopes: everywhere,
  doc: 'Whether `find` looks for what was typed in the texts of mails as well, not only in their headers.',
});

/** Whether the date of a mail is the one it was sent. */
export const PREFER_SENT_DATE = property({
  key: 'com.example.mail.preferSentDate',
  default: false,
  scopes: everywhere,
  doc: 'Whether column 661 and sorting by it mean the header Date instead of the time the server received the mail.',
});

/** Most mails that are sorted here. */
export const MAX_SORTED_MAILS = property({
  key: 'com.example.mail.maxSortedMessages',
  default: 10_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most mails that are sorted or threaded here, where the mail server cannot do it; of larger folders the newest so many are, and the others follow by id.',
});

/** Most rows of one answer. */
export const MAX_MAIL_ROWS = property({
  key: 'com.example.mail.maxRows',
  default: 10_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most mails of one list; of more matches the first so many are told.',
});

/** So much of a text is shown. */
export const BODY_DISPLAY_LIMIT = property({
  key: 'com.example.mail.bodyDisplaySizeLimit',
  default: 10_485_760,
  min: 10_240,
  max: 10_485_760,
  scopes: everywhere,
  doc: 'So much of each text of a mail is read and shown, bytes; what is longer is cut, and told by truncated.',
});

/** Most recipients of a mail. */
export const MAX_RECIPIENTS = property({
  key: 'com.example.mail.maxToCcBcc',
  default: 0,
  min: 0,
  scopes: everywhere,
  doc: 'Most recipients of a mail; more give MSG-0076. 0: no limit of its own.',
});

/** Pause between two mails. */
export const SEND_PAUSE = property({
  key: 'com.example.mail.rateLimit',
  default: 0,
  min: 0,
  scopes: everywhere,
  doc: 'Shortest time between two mails of a user, ms; a mail sent earlier gives MSG-0075. 0: none.',
});

/** Whether the pause is kept for mails of the primary account alone. */
export const SEND_PAUSE_OF_PRIMARY = property({
  key: 'com.example.mail.rateLimitPrimaryOnly',
  default: true,
  scopes: everywhere,
  doc: 'Whether com.example.mail.rateLimit is about mails that leave by the server of the primary account alone.',
});

/** Whether mails tell the address of the client. */
export const TELL_CLIENT_ADDRESS = property({
  key: 'com.example.mail.addClientIPAddress',
  default: false,
  scopes: everywhere,
  doc: 'Whether mails that users write tell the IP address of the client that sent them, by the header X-Originating-IP.',
});

/** Host of pictures of mails. */
export const IMAGE_HOST = property({
  key: 'com.example.mail.imageHost',
  default: '',
  scopes: everywhere,
  doc: 'Scheme and host, as in https://images.acme.example, that stand before the addresses of pictures within mails. Empty: the host by which the client came.',
});

/** Largest mail. */
export const MAX_MAIL_SIZE = property({
  key: 'com.example.mail.maxMailSize',
  default: 52_428_800,
  min: 1_024,
  max: 268_435_456,
  scopes: everywhere,
  doc: 'Largest mail that is sent or stored, bytes, as it leaves; larger ones give MSG-0088.',
});

/** Most files of one mail. */
export const MAX_MAIL_FILES = property({
  key: 'com.example.mail.maxAttachments',
  default: 100,
  min: 1,
  max: 1_000,
  scopes: everywhere,
  doc: 'Most files of one mail; more give MSG-0094.',
});

/** Most mails that are forwarded in one. */
export const MAX_FORWARDS = property({
  key: 'com.example.mail.maxForwardCount',
  default: 8,
  min: 1,
  max: 100,
  scopes: everywhere,
  doc: 'Most mails that one mail forwards; more give MSG-0080.',
});

/** Most documents that are attached. */
export const MAX_MAIL_DOCUMENTS = property({
  key: 'com.example.mail.maxDriveAttachments',
  default: 20,
  min: 1,
  max: 100,
  scopes: everywhere,
  doc: 'Most documents of the user that one mail attaches by infostore_ids; more give MSG-0080.',
});

/** Reports of delivery that are asked for. */
export const DELIVERY_STATUS_NOTIFICATION = property<string>({
  key: 'com.example.mail.deliveryStatusNotification',
  default: 'failures',
  values: ['server', 'failures', 'all'],
  scopes: everywhere,
  doc: 'Reports that are asked for when a mail is sent, of servers that have the extension DSN. server: none, so that the server reports as it sees fit; failures: failures and delays; all: deliveries, too. Asked for, they hold the headers of the mail, not its text.',
});

/** Field for the other recipients of an answer to all. */
export const REPLY_ALL_CC = property({
  key: 'com.example.mail.replyAllCc',
  default: false,
  scopes: everywhere,
  doc: 'Whether an answer to all names the other recipients of the original in Cc instead of To.',
});

/** How one mail is forwarded. */
export const FORWARD_AS_ATTACHMENT = property({
  key: 'com.example.mail.forwardAsAttachment',
  default: false,
  scopes: everywhere,
  doc: 'Whether a mail that is forwarded is attached whole instead of its text and files.',
});

/** Whether a draft goes when it was sent. */
export const DELETE_SENT_DRAFT = property({
  key: 'com.example.mail.deleteDraftOnTransport',
  default: false,
  scopes: everywhere,
  doc: 'Whether a draft that was sent is deleted where the client does not say.',
});

/** Most bytes of one upload of a mail. */
export const MAX_MAIL_UPLOAD = property<number>({
  key: 'com.example.mail.maxUploadSize',
  default: -1,
  min: -1,
  doc: 'Most bytes of one upload of a mail or its files, all parts together; -1: the general upload limit, 0: no limit of its own',
});

/** Whether files of mails that are sent are scanned. */
export const SCAN_SENT_FILES = property<string>({
  key: 'com.example.mail.scanSentFiles',
  default: 'off',
  values: ['off', 'ifAvailable', 'required'],
  doc: 'Virus scan of files of mails that users write. off: none; ifAvailable: infected files are refused, files that could not be scanned are taken; required: files that could not be scanned are refused',
  scopes: ['context', 'server'],
});

/** Relation of the colours of mails to the flag. */
export const MAIL_FLAGGING = property<string>({
  key: 'com.example.mail.flagging.mode',
  default: 'colorOnly',
  values: ['colorOnly', 'flaggedOnly', 'flaggedAndColor', 'flaggedImplicit'],
  scopes: everywhere,
  doc: 'How clients mark mails: by colours, by the flag, by both each for itself, or flaggedImplicit: a mail that gets a colour is flagged, too, and one that loses the flag or the colour loses both.',
});

/** Whether mails of some folders count as malicious. */
export const MARKS_MALICIOUS = property({
  key: 'com.example.mail.maliciousFolders.enabled',
  default: true,
  scopes: everywhere,
  doc: 'Whether mails of the folders of com.example.mail.maliciousFolders.listing count as malicious: they say so by the field malicious, and links in them have no address.',
});

/** Folders whose mails are malicious. */
export const MALICIOUS_FOLDERS = property({
  key: 'com.example.mail.maliciousFolders.listing',
  default: '$Spam, $Confirmed-spam',
  scopes: everywhere,
  doc: 'Folders whose mails, and those of folders below them, are malicious, separated by commas: $Spam and $Confirmed-spam stand for the folders with these roles of each account; others are full names, of all accounts or, as in default0/INBOX/Phishing, of one.',
});

/** Whether mails tell their authenticity. */
export const MAIL_AUTHENTICITY = property({
  key: 'com.example.mail.authenticity.enabled',
  default: false,
  scopes: everywhere,
  doc: 'Whether mails tell whether their author is who it says, by the headers Authentication-Results of the servers of com.example.mail.authenticity.authServId: field authenticity, columns 664 and 665.',
});

/** Servers whose results are trusted. */
export const TRUSTED_AUTH_SERVERS = property({
  key: 'com.example.mail.authenticity.authServId',
  default: '',
  scopes: everywhere,
  doc: 'Ids (authserv-id, RFC 8601) of the servers whose headers Authentication-Results count, separated by commas; * stands for any characters. Senders can write such headers, too: the receiving server must strip those that bear its own id from mails of others, or anyone passes for anyone. Empty: no header counts, and the status of all mails is none.',
});

/** Mails that are older are not examined. */
export const AUTHENTICITY_THRESHOLD = property({
  key: 'com.example.mail.authenticity.threshold',
  default: 0,
  min: 0,
  scopes: everywhere,
  doc: 'Mails that the server received before this time, ms UTC, are not examined: their status is not_analyzed. It should be the time since when the receiving server strips headers of others.',
});

/** Authors that are trusted. */
export const TRUSTED_MAIL_SENDERS = property({
  key: 'com.example.mail.authenticity.trusted.config',
  default: '',
  scopes: ['context', 'server'],
  doc: 'Authors that are trusted when the status is pass, separated by commas: address:picture each, as in support@acme.example:acme or *@acme.example:acme; * stands for any characters, and the picture, one of com.example.mail.authenticity.trusted.pictures, may be missing. The first that fits counts.',
});

/** Pictures of senders that are trusted. */
export const TRUSTED_MAIL_PICTURES = property({
  key: 'com.example.mail.authenticity.trusted.pictures',
  default: '',
  scopes: ['context', 'server'],
  doc: 'Pictures of senders that are trusted: name=data:image/…;base64,… of JPEG, PNG, GIF or WebP each, with blanks between; `image/mail/trustedMail/picture` shows them by name. Empty: there are none.',
});
