import { ImageErrors } from '../identity/identity.errors';
import { ContactErrors } from '../contacts/contact.errors';
import { contactExport } from '../contacts/contact-transfer.contract';
import { FileErrors, VirusErrors } from '../attachments/attachment.errors';
import { RequestErrors, UploadErrors } from '../edge/edge.errors';
import { endingFolders } from '../files/ending-folders.contract';
import { InfostoreErrors } from '../files/infostore.errors';
import { folders } from '../folders/folders.contract';
import { MailAccountErrors } from '../mail-account/mail-account.errors';
import { action, defineModule, file, json, jsonValue, plain, upload, value, type Operation } from '../kit';
import { shareManagement } from '../share/share.contract';
import { OAuthErrors } from '../sso/oauth-client.errors';
import { OWN_MAILBOXES } from './mail.access';
import { ComposeErrors } from './compose.errors';
import {
  ComposeAttachForm,
  ComposeAttachmentQuery,
  ComposeAttachmentReading,
  ComposeListQuery,
  ComposeOpenQuery,
  ComposePictureQuery,
  ComposeSendQuery,
  ComposeSpaceQuery,
  ComposeSpaceReading,
  ComposeUpdate,
  MAX_FIELDS_BYTES,
  ComposeUpload,
  type ComposeAttachment,
  type ComposeDeleted,
  type ComposeSpace,
} from './compose.model';
import { ImapErrors, MailErrors } from './mail.errors';
import { MAX_MAIL_UPLOAD } from './mail.properties';

const common = {
  access: OWN_MAILBOXES,
  capability: 'webmail',
  auth: 'session',
  action: null,
  plainAnswers: true,
} as const;
const reading = { ...common, http: 'GET', appScopes: ['read_mail'] } as const;
/** Bytes are in the file store and mails at their servers: in no transaction of the database. */
const writing = {
  ...common,
  appScopes: ['write_mail'],
  idempotency: 'claimed',
  repeatable: false,
  deadlineMs: 60_000,
} as const;
/** Fields are in one row: what was noted of such a call is that it was done, and its second reply is the space as it is by then. */
const changing = { ...writing, idempotency: 'effect' } as const;
const sending = { ...writing, deadlineMs: 180_000 } as const;
const ofMail = { service: 'mail' } as const;
/** Last changes of a mail: fields in the form field JSON, and files. */
const deliveryForm = upload<Record<string, string>>(undefined, {
  required: false,
  limit: MAX_MAIL_UPLOAD,
  maxFieldBytes: MAX_FIELDS_BYTES,
  mayBeLong: true,
});
const spaces = value<readonly Partial<ComposeSpace>[]>('the spaces of the user, the one that was written last first');
const space = value<ComposeSpace>('the whole space');
const attachment = value<ComposeAttachment | readonly ComposeAttachment[]>('the attachment; a list for several files');
const deleted = plain<ComposeDeleted>(undefined, { doc: 'success, in data and beside it' });
const ofFields = [
  ComposeErrors.notFound,
  ComposeErrors.concurrentUpdate,
  ComposeErrors.subjectTooLong,
  ComposeErrors.fromTooLong,
  ComposeErrors.toTooLong,
  ComposeErrors.ccTooLong,
  ComposeErrors.bccTooLong,
  ComposeErrors.replyToTooLong,
  MailErrors.mailTooLarge,
  RequestErrors.badBodyData,
];
const ofUpload = [
  ComposeErrors.notFound,
  ComposeErrors.concurrentUpdate,
  MailErrors.mailTooLarge,
  MailErrors.tooManyFiles,
  FileErrors.failed,
  VirusErrors.found,
];
/** Errors of documents and contacts that are attached. */
const ofReferences = [
  RequestErrors.badBodyData,
  RequestErrors.noModulePermission,
  InfostoreErrors.notFound,
  InfostoreErrors.notReadable,
  MailErrors.tooManyForwards,
  UploadErrors.tooLarge,
  ...(contactExport.VCARDObjects.errors ?? []),
];
/** Errors of a mail that others refer to. */
const ofOriginal = [
  MailErrors.notFound,
  MailErrors.originalGone,
  MailErrors.loginFailed,
  MailErrors.unreachable,
  MailErrors.holdsNoMessages,
  MailErrors.badParameter,
  ImapErrors.folderNotFound,
  MailAccountErrors.notFound,
  UploadErrors.tooLarge,
  ComposeErrors.notOpened,
];
const ofDelivery = [
  ...ofFields,
  MailErrors.contentTooLarge,
  MailErrors.processingFailed,
  MailErrors.senderNotAllowed,
  MailErrors.invalidAddress,
  MailErrors.tooManyFiles,
  MailErrors.unreachable,
  FileErrors.failed,
  VirusErrors.found,
];

/** Operations of other modules by which files of a mail go as a link, besides the one that stores them; they check the rights of the user. */
export const FILE_LINK_CALLS: readonly Operation[] = [
  folders.list,
  folders.new,
  folders.delete,
  shareManagement.getLink,
  shareManagement.updateLink,
  endingFolders.remove,
];

/** Mails that are being written. */
export const mailCompose = defineModule(
  'mail/compose',
  {
    list: action({
      ...reading,
      doc: 'Lists the mails that the user is writing',
      query: ComposeListQuery,
      reply: spaces,
    }),
    all: action({
      ...reading,
      action: 'all',
      doc: 'Lists the mails that the user is writing, as newer clients ask',
      query: ComposeListQuery,
      reply: spaces,
    }),
    open: action({
      ...writing,
      http: 'POST',
      doc: 'Opens a composition space: for a new mail, with any body or none, or for the mails that the body names, [{id, folderId}]',
      query: ComposeOpenQuery,
      body: jsonValue<unknown>({ required: false }),
      reply: space,
      errors: [
        ComposeErrors.tooManySpaces,
        ComposeErrors.passwordLost,
        RequestErrors.badParameter,
        ...ofOriginal,
        ...ofFields,
        MailErrors.severalReplies,
        MailErrors.tooManyForwards,
        MailErrors.mailTooLarge,
        MailErrors.tooManyFiles,
      ],
    }),
  },
  ofMail,
);

/** One mail that is being written. */
export const mailComposeSpace = defineModule(
  'mail/compose/{id}',
  {
    get: action({
      ...reading,
      doc: 'A composition space',
      query: ComposeSpaceReading,
      reply: space,
      errors: [ComposeErrors.notFound],
    }),
    update: action({
      ...changing,
      http: 'PUT',
      doc: 'Changes the fields that the body has',
      query: ComposeSpaceQuery,
      body: json(ComposeUpdate, { maxBytes: MAX_FIELDS_BYTES, mayBeLong: true }),
      reply: space,
      errors: ofFields,
    }),
    patch: action({
      ...changing,
      http: 'PATCH',
      doc: 'Changes the fields that the body has',
      query: ComposeSpaceQuery,
      body: json(ComposeUpdate, { maxBytes: MAX_FIELDS_BYTES, mayBeLong: true }),
      reply: space,
      errors: ofFields,
    }),
    delete: action({
      ...writing,
      http: 'DELETE',
      doc: 'Drops the mail that is written; a draft that it was opened for stays',
      query: ComposeSpaceQuery,
      reply: deleted,
      errors: [ComposeErrors.notFound, ComposeErrors.concurrentUpdate],
    }),
  },
  ofMail,
);

/** Stores the mail of a space as a draft. */
export const mailComposeSave = defineModule(
  'mail/compose/{id}/save',
  {
    save: action({
      ...sending,
      http: 'POST',
      doc: 'Saves the mail as a draft, in place of the one it was opened for, and closes the space. The form is that of sending',
      query: ComposeSpaceQuery,
      body: deliveryForm,
      reply: value<string>('path of the draft'),
      errors: [...ofDelivery, MailErrors.draftOverQuota],
    }),
  },
  ofMail,
);

/** Sends the mail of a space. */
export const mailComposeSend = defineModule(
  'mail/compose/{id}/send',
  {
    send: action({
      ...sending,
      // Links to files name the host that the client uses.
      edge: true,
      http: 'POST',
      doc: 'Sends the mail and closes the space. The form field JSON holds fields that change before; files are attached, or with sharedAttachments go as a link to a new folder of the user',
      query: ComposeSendQuery,
      body: deliveryForm,
      reply: value<string | { readonly success: true }>('path of the copy in the folder for sent mails'),
      errors: [
        ...ofDelivery,
        MailErrors.noTransport,
        MailErrors.transportLoginFailed,
        OAuthErrors.invalidAccount,
        MailErrors.missingField,
        MailErrors.tooManyRecipients,
        MailErrors.sentTooOften,
        MailErrors.mailRefused,
        MailErrors.recipientsRefused,
        MailErrors.notSent,
        MailErrors.sendUnknown,
        MailErrors.notPermitted,
        MailErrors.sharingNotAllowed,
        MailErrors.expiryRequired,
        ComposeErrors.passwordLost,
      ],
    }),
  },
  ofMail,
);

/** Files of the mail of a space. */
export const mailComposeAttachments = defineModule(
  'mail/compose/{id}/attachments',
  {
    add: action({
      ...writing,
      http: 'POST',
      doc: 'Attaches the files of the form, and copies of the documents and contacts that its field JSON names',
      query: ComposeSpaceQuery,
      body: upload(ComposeAttachForm, { limit: MAX_MAIL_UPLOAD }),
      reply: attachment,
      errors: [...ofUpload, ...ofReferences],
    }),
  },
  ofMail,
);

/** Files of the mail that the mail of a space answers. */
export const mailComposeOriginal = defineModule(
  'mail/compose/{id}/attachments/original',
  {
    add: action({
      ...writing,
      http: 'POST',
      doc: 'Attaches the files of the mail that is answered, each of them once',
      query: ComposeSpaceQuery,
      reply: value<readonly ComposeAttachment[]>('the attachments that are new'),
      errors: [...ofUpload, ...ofOriginal, ComposeErrors.notReply],
    }),
  },
  ofMail,
);

/** The vCard of the user, among the files of the mail of a space. */
export const mailComposeCard = defineModule(
  'mail/compose/{id}/attachments/vcard',
  {
    add: action({
      ...writing,
      http: 'POST',
      doc: 'Attaches the vCard of the user, once',
      query: ComposeSpaceQuery,
      reply: value<ComposeAttachment>('the attachment'),
      errors: [...ofUpload, ContactErrors.notFound],
    }),
  },
  ofMail,
);

/** One file of the mail of a space. */
export const mailComposeAttachment = defineModule(
  'mail/compose/{id}/attachments/{attachmentId}',
  {
    get: action({
      ...reading,
      doc: 'The bytes of an attachment',
      query: ComposeAttachmentReading,
      reply: file('application/octet-stream'),
      errors: [ComposeErrors.notFound, ComposeErrors.attachmentNotFound],
    }),
    replace: action({
      ...writing,
      http: 'POST',
      doc: 'Puts another file in place of an attachment; its id stays',
      query: ComposeAttachmentQuery,
      body: upload(ComposeUpload, { limit: MAX_MAIL_UPLOAD }),
      reply: attachment,
      errors: [...ofUpload, ComposeErrors.attachmentNotFound],
    }),
    delete: action({
      ...writing,
      http: 'DELETE',
      doc: 'Removes an attachment',
      query: ComposeAttachmentQuery,
      reply: deleted,
      errors: [ComposeErrors.notFound, ComposeErrors.attachmentNotFound, ComposeErrors.concurrentUpdate],
    }),
  },
  ofMail,
);

/** Pictures of the text of a mail that is being written. */
export const mailComposePicture = defineModule(
  'image/mail/compose/image',
  {
    picture: action({
      ...reading,
      publicSession: true,
      doc: 'A picture that was attached to a mail that is written, of the type that its bytes tell',
      query: ComposePictureQuery,
      reply: file('image/*'),
      errors: [ImageErrors.notFound],
    }),
  },
  ofMail,
);
