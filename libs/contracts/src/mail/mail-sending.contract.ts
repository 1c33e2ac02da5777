import { MailAccountErrors } from '../mail-account/mail-account.errors';
import { RequestErrors } from '../edge/edge.errors';
import {
  action,
  defineModule,
  json,
  jsonList,
  one,
  page,
  upload,
  value,
  type ErrorFactory,
  type Operation,
} from '../kit';
import { infostore } from '../files/infostore.contract';
import { InfostoreErrors } from '../files/infostore.errors';
import { contactExport } from '../contacts/contact-transfer.contract';
import { OAuthErrors } from '../sso/oauth-client.errors';
import { ConversionErrors } from './conversion.contract';
import { MAX_FIELDS_BYTES } from './compose.model';
import { OWN_MAILBOXES } from './mail.access';
import { ImapErrors, MailErrors } from './mail.errors';
import { MailLocation, type MailData } from './mail.model';
import { MAX_MAIL_UPLOAD } from './mail.properties';
import { MailReference } from './mail.queries';
import {
  MailDraft,
  MailForwardQuery,
  MailImportQuery,
  MailReceiptBody,
  MailReplyQuery,
  MailSendingQuery,
  MailSourceQuery,
  type MailImportResult,
} from './mail-sending.model';

const preparing = {
  access: OWN_MAILBOXES,
  appScopes: ['read_mail'],
  capability: 'webmail',
  auth: 'session',
  http: 'GET',
  badParameter: MailErrors.badParameter,
  deadlineMs: 60_000,
} as const;
/** Options of sending: what a mail server did is in no transaction of the database, and nothing is sent twice. */
const sending = {
  access: OWN_MAILBOXES,
  appScopes: ['write_mail'],
  capability: 'webmail',
  auth: 'session',
  badParameter: MailErrors.badParameter,
  idempotency: 'claimed',
  repeatable: false,
  deadlineMs: 180_000,
} as const;

const ofMail: readonly ErrorFactory[] = [
  MailErrors.loginFailed,
  MailErrors.unreachable,
  OAuthErrors.invalidAccount,
  ImapErrors.folderNotFound,
  MailAccountErrors.notFound,
  MailErrors.holdsNoMessages,
  MailErrors.notFound,
];
/** Errors that sending a mail may answer. */
const ofSending: readonly ErrorFactory[] = [
  MailErrors.senderNotAllowed,
  MailErrors.noTransport,
  MailErrors.unreachable,
  MailErrors.transportLoginFailed,
  OAuthErrors.invalidAccount,
  MailErrors.missingField,
  MailErrors.tooManyRecipients,
  MailErrors.sentTooOften,
  MailErrors.invalidAddress,
  MailErrors.mailTooLarge,
  MailErrors.tooManyFiles,
  MailErrors.mailRefused,
  MailErrors.recipientsRefused,
  MailErrors.notSent,
  MailErrors.sendUnknown,
];

/** Errors of data of other sources that is attached. */
const ofSources: readonly ErrorFactory[] = [
  ConversionErrors.missingArgument,
  ConversionErrors.badArgument,
  ConversionErrors.unknownSource,
  ConversionErrors.noMatch,
  ConversionErrors.tooLarge,
  ...(contactExport.VCARDObjects.errors ?? []),
];

/** Errors of documents that are attached. */
const ofDocuments: readonly ErrorFactory[] = [
  InfostoreErrors.notFound,
  InfostoreErrors.notReadable,
  MailErrors.tooManyForwards,
  RequestErrors.noModulePermission,
];

/** Operations that mails call to attach documents of the user. */
export const DOCUMENT_CALLS: readonly Operation[] = [infostore.document];

/** Mails that users write. */
export const mailSending = defineModule('mail', {
  reply: action({
    ...preparing,
    doc: 'Prepares the answer to the author of a mail',
    query: MailReplyQuery,
    reply: value<MailData>('fields of the mail to write: recipients, subject, text and files, msgref'),
    errors: [...ofMail, MailErrors.severalReplies],
  }),
  replyall: action({
    ...preparing,
    doc: 'Prepares the answer to the author and all other recipients of a mail, without those who are the user',
    query: MailReplyQuery,
    reply: value<MailData>('fields of the mail to write: recipients, subject, text and files, msgref'),
    errors: [...ofMail, MailErrors.severalReplies],
  }),
  forward: action({
    ...preparing,
    doc: 'Prepares a mail that passes another on',
    query: MailForwardQuery,
    reply: value<MailData>('fields of the mail to write: recipients, subject, text and files, msgref'),
    errors: [...ofMail, MailErrors.tooManyForwards],
  }),
  forwardSeveral: action({
    ...preparing,
    http: 'PUT',
    action: 'forward',
    reads: true,
    doc: 'Prepares a mail that passes others on, each of them attached whole',
    body: jsonList(MailReference),
    reply: value<MailData>('fields of the mail to write: recipients, subject, text and files, msgref'),
    errors: [...ofMail, MailErrors.tooManyForwards],
  }),
  new: action({
    ...sending,
    // Links to files name the host that the client uses.
    edge: true,
    http: 'POST',
    doc: 'Sends the mail in json_0 with the files beside it; with the flag of drafts, or a folder, it is stored instead',
    query: MailSendingQuery,
    body: upload<Record<string, string>>(undefined, {
      limit: MAX_MAIL_UPLOAD,
      tooLarge: MailErrors.filesTooLarge,
      maxFieldBytes: MAX_FIELDS_BYTES,
      mayBeLong: true,
    }),
    reply: page<string | null>('path of the copy in the folder for sent mails, or of the stored mail; null without'),
    errors: [
      ...ofSending,
      ...ofDocuments,
      ...ofSources,
      MailErrors.severalReplies,
      MailErrors.sharingNotAllowed,
      MailErrors.expiryRequired,
      MailErrors.processingFailed,
      MailErrors.originalGone,
      MailErrors.contentTooLarge,
      MailErrors.filesTooLarge,
      RequestErrors.badBodyData,
    ],
  }),
  newSource: action({
    ...sending,
    http: 'PUT',
    action: 'new',
    doc: 'Sends a mail as its source has it, or stores it in a folder',
    query: MailSourceQuery,
    body: upload<Record<string, string>>(undefined, { limit: MAX_MAIL_UPLOAD }),
    reply: one(MailLocation),
    errors: [...ofSending, MailErrors.invalidMessage, MailAccountErrors.notFound],
  }),
  autosave: action({
    ...sending,
    http: 'PUT',
    doc: 'Saves a draft; the one in msgref is replaced',
    body: json(MailDraft, { maxBytes: MAX_FIELDS_BYTES, mayBeLong: true }),
    reply: value<string>('path of the draft'),
    errors: [
      MailErrors.severalReplies,
      MailErrors.senderNotAllowed,
      MailErrors.invalidAddress,
      MailErrors.draftOverQuota,
      MailErrors.tooManyFiles,
      MailErrors.contentTooLarge,
      MailErrors.processingFailed,
      MailErrors.originalGone,
      MailErrors.unreachable,
      ...ofDocuments,
      ...ofSources,
    ],
  }),
  import: action({
    ...sending,
    http: 'POST',
    doc: 'Stores mails in a folder; nothing is sent',
    query: MailImportQuery,
    body: upload<Record<string, string>>(undefined, { limit: MAX_MAIL_UPLOAD }),
    plainAnswers: true,
    reply: value<MailImportResult[]>('the outcomes in the order of the files'),
    errors: [
      MailErrors.senderNotAllowed,
      ImapErrors.folderNotFound,
      MailAccountErrors.notFound,
      MailErrors.holdsNoMessages,
      RequestErrors.missingParameter,
    ],
  }),
  receipt_ack: action({
    ...sending,
    http: 'PUT',
    doc: 'Tells the author of a mail that it was read, once, as asked for',
    body: json(MailReceiptBody),
    reply: value<object>('an empty object'),
    errors: [...ofMail, MailErrors.notPermitted, MailErrors.senderNotAllowed],
  }),
});
