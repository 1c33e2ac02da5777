import { MailAccountErrors } from '../mail-account/mail-account.errors';
import { FileErrors, VirusErrors } from '../attachments/attachment.errors';
import { RequestErrors, UploadErrors } from '../edge/edge.errors';
import { infostore } from '../files/infostore.contract';
import { FileLimitErrors, InfostoreErrors } from '../files/infostore.errors';
import { FolderErrors } from '../folders/folder.errors';
import { ImageErrors } from '../identity/identity.errors';
import {
  action,
  allowCallers,
  defineModule,
  type FileReply,
  file,
  json,
  jsonList,
  jsonListOf,
  jsonOneOrList,
  jsonValue,
  one,
  rows,
  value,
  type ErrorFactory,
  type Operation,
} from '../kit';
import { OAuthErrors } from '../sso/oauth-client.errors';
import { OWN_MAILBOXES } from './mail.access';
import { ImapErrors, MailErrors } from './mail.errors';
import {
  MailData,
  MailFolderState,
  MailLocation,
  SavedMailAttachment,
  type AffectedMailFolders,
  type MailConversation,
  type MailThread,
} from './mail.model';
import {
  MailAttachmentQuery,
  MailAttachmentSavingBody,
  MailAttachmentSavingQuery,
  MailAttachmentsQuery,
  MailClearingQuery,
  MailColumnsQuery,
  MailConversationsQuery,
  MailCopyBody,
  MailDeletionQuery,
  MailFolderArchiveQuery,
  MailFolderQuery,
  MailGetQuery,
  MailListQuery,
  MailOrderQuery,
  MailPictureQuery,
  MailQuery,
  MailReference,
  MailsQuery,
  MailThreadsQuery,
  MailUpdateBody,
  MailUpdateQuery,
  MailUpdatesQuery,
  TrustedMailPictureQuery,
} from './mail.queries';
import { MailShareReference, MailShareReferenceBody } from './share-reference.model';

const reading = {
  access: OWN_MAILBOXES,
  appScopes: ['read_mail'],
  capability: 'webmail',
  auth: 'session',
  badParameter: MailErrors.badParameter,
  deadlineMs: 60_000,
} as const;
/** Changes at a mail server are in no transaction of the database. */
const writing = { ...reading, appScopes: ['write_mail'], idempotency: 'claimed' } as const;
/** Errors that any use of a mailbox may answer. */
const ofServer: readonly ErrorFactory[] = [
  MailErrors.loginFailed,
  MailErrors.externalLoginFailed,
  MailErrors.unreachable,
  OAuthErrors.invalidAccount,
];
const inFolder: readonly ErrorFactory[] = [
  ...ofServer,
  ImapErrors.folderNotFound,
  MailAccountErrors.notFound,
  MailErrors.holdsNoMessages,
];
const ofMail: readonly ErrorFactory[] = [...inFolder, MailErrors.notFound];
/** Errors of changes that the mail server refuses. */
const ofChange: readonly ErrorFactory[] = [MailErrors.commandFailed, MailErrors.overQuota];
const ofList: readonly ErrorFactory[] = [...inFolder, MailErrors.missingParameter, MailErrors.badParameter];

const scanned: readonly ErrorFactory[] = [VirusErrors.found, VirusErrors.unavailable, VirusErrors.tooLarge];

const threads = {
  ...reading,
  action: 'thread_references',
  query: MailThreadsQuery,
  body: jsonValue({ required: false }),
  reply: value<MailThread[]>('threads: the requested columns of their roots as named fields, ids, and their mails'),
  errors: [...ofList, MailErrors.badSearch, MailErrors.patternTooShort, MailErrors.noThreads],
} as const;

/** Operations that mails call to keep their files among those of the user. */
export const SAVING_CALLS: readonly Operation[] = [infostore.newFile];

/** Operations that mails call to tell of the files that went as a link. */
export const SHARE_REFERENCE_CALLS: readonly Operation[] = [infostore.all];

/** Mails of the accounts of the user. */
export const mail = defineModule('mail', {
  all: action({
    ...reading,
    http: 'GET',
    doc: 'Lists the mails of a folder, oldest first unless asked otherwise',
    query: MailListQuery,
    reply: rows(MailData),
    errors: [...ofList, MailErrors.badValue],
  }),
  list: action({
    ...reading,
    http: 'PUT',
    doc: 'Reads mails by id, of any folders and accounts; rows in the order asked for, missing ones left out',
    query: MailColumnsQuery,
    body: jsonOneOrList(MailReference),
    reply: rows(MailData),
    reads: true,
    errors: [...inFolder, MailErrors.badParameter],
  }),
  get: action({
    ...reading,
    http: 'GET',
    doc: 'Reads a mail as a view shows it, its headers or its source, and marks it as read unless asked otherwise',
    reads: false,
    query: MailGetQuery,
    reply: value<MailData | string | FileReply>(
      'mail with its text and the list of its files; text of the headers or of the source; a page, or the source as a file',
    ),
    edge: true,
    namedFile: true,
    errors: [...ofMail, MailErrors.badParameter],
  }),
  attachment: action({
    ...reading,
    http: 'GET',
    doc: 'Reads a file of a mail, as it comes from the server; one range may be asked for',
    query: MailAttachmentQuery,
    reply: file<MailData>('*/*'),
    edge: true,
    errors: [
      ...ofMail,
      MailErrors.missingParameter,
      MailErrors.badParameter,
      MailErrors.attachmentNotFound,
      MailErrors.pictureNotFound,
      MailErrors.timedOut,
      ...scanned,
    ],
  }),
  saveAttachment: action({
    ...reading,
    // Closed to applications: what is opened to those of mails says nothing of files.
    appScopes: undefined,
    http: 'PUT',
    action: 'attachment',
    doc: 'Saves a file of a mail as a document of the user',
    query: MailAttachmentSavingQuery,
    body: json(MailAttachmentSavingBody),
    reply: one(SavedMailAttachment),
    idempotency: 'claimed',
    repeatable: false,
    deadlineMs: 120_000,
    errors: [
      ...ofMail,
      MailErrors.attachmentNotFound,
      RequestErrors.noModulePermission,
      FolderErrors.notFound,
      InfostoreErrors.notFiles,
      InfostoreErrors.notReadable,
      InfostoreErrors.mustNotCreate,
      InfostoreErrors.slashInName,
      FileErrors.quotaReached,
      FileLimitErrors.notSaved,
      UploadErrors.tooLarge,
      VirusErrors.found,
    ],
  }),
  zip_attachments: action({
    ...reading,
    http: 'GET',
    doc: 'Reads files of a mail as one ZIP file, equal names numbered',
    query: MailAttachmentsQuery,
    reply: file('application/zip'),
    errors: [...ofMail, MailErrors.attachmentNotFound, ...scanned],
  }),
  zip_messages: action({
    ...reading,
    http: 'GET',
    doc: 'Reads the sources of mails as one ZIP file, named by their subjects',
    query: MailsQuery,
    reply: file('application/zip'),
    errors: ofMail,
  }),
  count: action({
    ...reading,
    http: 'GET',
    doc: 'Counts the mails of a folder',
    query: MailFolderQuery,
    reply: value<number>('number of mails'),
    errors: inFolder,
  }),
  examine: action({
    ...reading,
    http: 'GET',
    doc: 'Reads what tells whether a folder changed',
    query: MailFolderQuery,
    reply: one(MailFolderState),
    errors: inFolder,
  }),
  updates: action({
    ...reading,
    http: 'GET',
    doc: 'Tells no changes: mail servers keep no log of them; see examine',
    query: MailUpdatesQuery,
    reply: value<unknown[]>('an empty list'),
    errors: [...inFolder, MailErrors.badParameter],
  }),
  threadedAll: action({
    ...reading,
    http: 'GET',
    doc: 'Lists the conversations of a folder, by their newest mail',
    query: MailConversationsQuery,
    reply: value<MailConversation[]>('conversations with the requested columns as named fields'),
    errors: [...ofList, MailErrors.badValue],
  }),
  thread_references: action({
    ...threads,
    http: 'GET',
    doc: 'Lists the threads of a folder as the mail server finds them; a body is a term that their mails match',
  }),
  threadReferencesByPut: action({
    ...threads,
    http: 'PUT',
    doc: 'The same, for clients that send no body by GET',
    reads: true,
  }),
  search: action({
    ...reading,
    http: 'PUT',
    doc: 'Finds mails of a folder by a term, or by patterns of which one must match',
    query: MailOrderQuery,
    body: jsonValue({ broken: MailErrors.badSearch }),
    reply: rows(MailData),
    reads: true,
    errors: [...ofList, MailErrors.badSearch, MailErrors.patternTooShort],
  }),
  update: action({
    ...writing,
    http: 'PUT',
    doc: 'Changes colour and flags of a mail and moves it; without id and message_id all mails of the folder',
    query: MailUpdateQuery,
    body: json(MailUpdateBody),
    reply: one(MailLocation),
    errors: [...ofMail, ...ofChange, MailErrors.badColorLabel, MailErrors.notAllMoved],
  }),
  copy: action({
    ...writing,
    http: 'PUT',
    doc: 'Copies a mail into a folder, of any account',
    query: MailQuery,
    body: json(MailCopyBody),
    reply: one(MailLocation),
    errors: [...ofMail, ...ofChange],
  }),
  delete: action({
    ...writing,
    http: 'PUT',
    doc: 'Moves mails into the trash of their account; those in the trash, and with harddelete, are gone',
    query: MailDeletionQuery,
    body: jsonList(MailReference),
    reply: value<never[] | AffectedMailFolders>('an empty list, or the numbers of the folders concerned'),
    errors: [...inFolder, MailErrors.badParameter, MailErrors.trashOverQuota, MailErrors.commandFailed],
  }),
  clear: action({
    ...writing,
    http: 'PUT',
    doc: 'Deletes all mails of folders, of the trash also the folders below it; answers those that could not be emptied',
    query: MailClearingQuery,
    body: jsonListOf<string>('text', { maxItems: 1_000 }),
    reply: value<string[]>('ids of folders that could not be emptied'),
    errors: [MailErrors.badParameter],
  }),
  expunge: action({
    ...writing,
    http: 'PUT',
    doc: 'Removes the mails of folders that are marked as deleted; answers the folders where that failed',
    body: jsonListOf<string>('text', { maxItems: 1_000 }),
    reply: value<string[]>('ids of folders where it failed'),
  }),
  all_seen: action({
    ...writing,
    http: 'PUT',
    doc: 'Marks every mail of a folder as read',
    query: MailFolderQuery,
    reply: value<boolean>('true'),
    errors: inFolder,
  }),
  archive: action({
    ...writing,
    http: 'PUT',
    doc: 'Moves mails into the archive of their account, into folders of the years they came; warns of those that are gone',
    body: jsonOneOrList(MailReference),
    reply: value<MailLocation[]>('where they are now'),
    errors: [...inFolder, MailErrors.notFound],
  }),
  archive_folder: action({
    ...writing,
    http: 'PUT',
    doc: 'Archives the mails of a folder that are older than some days',
    query: MailFolderArchiveQuery,
    reply: value<MailLocation[]>('where they are now'),
    errors: [...inFolder, MailErrors.badParameter],
  }),
  resolve_share_reference: action({
    ...reading,
    // Closed to applications, as it tells of files.
    appScopes: undefined,
    http: 'PUT',
    doc: 'Tells the sender of a mail of the files that went with it as a link',
    body: json(MailShareReferenceBody),
    reply: one(MailShareReference),
    reads: true,
    errors: [
      MailErrors.badValue,
      MailErrors.notPermitted,
      RequestErrors.noModulePermission,
      FolderErrors.notFound,
      InfostoreErrors.notFiles,
      InfostoreErrors.notReadable,
    ],
  }),
});

/** Pictures within mails, for pages that show them: the public session is enough. */
export const mailPicture = defineModule(
  'image/mail/picture',
  {
    picture: action({
      access: OWN_MAILBOXES,
      appScopes: ['read_mail'],
      capability: 'webmail',
      auth: 'session',
      http: 'GET',
      action: null,
      publicSession: true,
      deadlineMs: 60_000,
      doc: 'A picture within a mail, of the type that its bytes tell; the mail stays unread',
      query: MailPictureQuery,
      reply: file('image/*'),
      errors: [ImageErrors.notFound],
    }),
  },
  { service: 'mail' },
);

/** Pictures of senders that the operator trusts: of their companies, not of their mails. */
export const trustedMailPicture = defineModule(
  'image/mail/trustedMail/picture',
  {
    picture: action({
      access: allowCallers('what the operator shows of senders that are trusted'),
      appScopes: ['read_mail'],
      capability: 'webmail',
      auth: 'session',
      http: 'GET',
      action: null,
      publicSession: true,
      doc: 'The picture of a sender that the operator trusts, as com.example.mail.authenticity.trusted.pictures has it',
      query: TrustedMailPictureQuery,
      reply: file('image/*'),
      errors: [ImageErrors.notFound],
    }),
  },
  { service: 'mail' },
);
