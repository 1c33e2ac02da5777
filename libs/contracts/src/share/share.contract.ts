import {
  action,
  allowCallers,
  defineModule,
  Field,
  form,
  json,
  one,
  plain,
  requireRights,
  value,
  type FileReply,
} from '../kit';
import { FolderErrors } from '../folders/folder.errors';
import { QuotaErrors } from '../quota/quota.errors';
import { OutgoingMailErrors } from '../outgoing-mail/outgoing-mail.errors';
import { RequestErrors } from '../edge/edge.errors';
import { InfostoreErrors } from '../files/infostore.errors';
import { ShareErrors } from './share.errors';
import { FOLDER_RIGHTS } from '../folders/folder.access';

/** Shared folder or document. */
export class ShareTarget {
  @Field.text({ doc: 'Module, by name', minLength: 1, maxLength: 64 }) module!: string;
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.id({
    doc: 'Document in the folder, as number or with its folder; other modules share folders only',
    optional: true,
  })
  item?: string;
}

/** Changes to a link; absent fields stay, null removes. */
export class ShareLinkChange extends ShareTarget {
  @Field.time({ doc: 'When the link ends', optional: true }) expiry_date?: number | null;
  @Field.text({ doc: 'Pin that opens the link', optional: true, writeOnly: true, minLength: 1, maxLength: 1024 })
  password?: string | null;
  @Field.any({ doc: 'Data of clients about the link: an object of at most 16384 characters as JSON', optional: true })
  meta?: unknown;
  @Field.boolean({ doc: 'It opens the folders below, too, also those to come; no document has any', optional: true })
  includeSubfolders?: boolean;
}

/** Mails with the address of a link. */
export class ShareLinkMail extends ShareTarget {
  @Field.any({ doc: 'List of pairs: name, which may be null, and mail address' }) recipients!: unknown;
  @Field.text({ doc: 'Text of the user', optional: true, maxLength: 10_000 }) message?: string | null;
}

/** Stamp of a link as the client knows it. */
export class ShareLinkQuery {
  @Field.timestamp({ doc: 'Timestamp of an earlier answer: a link changed later is left alone (SHR-0006)' })
  timestamp!: number;
}

/** Zone of the end of a link. */
export class ShareZoneQuery {
  @Field.text({ doc: 'Zone of times; default: that of the user', optional: true, maxLength: 128 }) timezone?: string;
}

/** Stamp of a link as the client knows it, and the zone of its new end. */
export class ShareLinkChangeQuery extends ShareLinkQuery {
  @Field.text({ doc: 'Zone of times; default: that of the user', optional: true, maxLength: 128 }) timezone?: string;
}

/** A link. */
export class ShareLink {
  @Field.text({ doc: 'Address that opens the share' }) url!: string;
  @Field.int({ doc: 'The anonymous guest, as in the permission list of the folder or document' }) entity!: number;
  @Field.boolean({ doc: 'It was made by this call' }) is_new!: boolean;
  @Field.time({ doc: 'When it ends', optional: true }) expiry_date?: number;
  @Field.text({ doc: 'Pin that opens it', optional: true }) password?: string;
  @Field.boolean({ doc: 'It opens the folders below, too' }) includeSubfolders!: boolean;
  @Field.any({ doc: 'Data of clients about it', optional: true }) meta?: Readonly<Record<string, unknown>>;
}

/** Place of a share in a link. */
export class ShareQuery {
  @Field.text({ doc: 'What follows the base path: token, and which of its shares', maxLength: 1024, optional: true })
  path?: string;
  @Field.text({ doc: '`1` or `true`: the bytes of a document at once, to be saved', optional: true, maxLength: 16 })
  dl?: string;
  @Field.text({ doc: 'The bytes of a document at once: `download` or `view`', optional: true, maxLength: 16 })
  delivery?: string;
}

const common = { auth: 'session', capability: 'share_links' } as const;
const target = [
  ShareErrors.noSharing,
  ShareErrors.noItems,
  FolderErrors.notFound,
  FolderErrors.notVisible,
  FolderErrors.badId,
  InfostoreErrors.notFiles,
  InfostoreErrors.notFound,
  InfostoreErrors.notReadable,
];

/** Links by which anybody sees a folder or a document. */
export const shareManagement = defineModule(
  'share/management',
  {
    getLink: action({
      access: requireRights(FOLDER_RIGHTS.decidedByOwner, FOLDER_RIGHTS.administer),
      ...common,
      http: 'PUT',
      edge: true,
      // A link that was made by the same call is there by then.
      idempotency: 'effect',
      doc: 'The link to a folder or document; made when there is none. Who may share it is told its pin',
      query: ShareZoneQuery,
      body: json(ShareTarget),
      reply: one(ShareLink),
      errors: [
        ...target,
        FolderErrors.badParameter,
        FolderErrors.mayNotShare,
        ShareErrors.noEditPermission,
        ShareErrors.changed,
        QuotaErrors.exceeded,
      ],
    }),
    updateLink: action({
      access: requireRights(FOLDER_RIGHTS.decidedByOwner, FOLDER_RIGHTS.administer),
      ...common,
      http: 'PUT',
      doc: 'Gives a link a pin, an end, data of clients or the folders below, or takes them away. With another pin or end who came by it must come again. Warnings tell of folders below that the user does not administrate: they stay as they are',
      query: ShareLinkChangeQuery,
      body: json(ShareLinkChange),
      reply: value<Record<string, never>>('an empty object'),
      errors: [
        ...target,
        FolderErrors.badParameter,
        RequestErrors.badBodyData,
        FolderErrors.noAdminAccess,
        ShareErrors.badLink,
        ShareErrors.noEditPermission,
        ShareErrors.changed,
      ],
    }),
    sendLink: action({
      access: requireRights(FOLDER_RIGHTS.decidedByOwner, FOLDER_RIGHTS.administer),
      ...common,
      http: 'PUT',
      edge: true,
      doc: 'Sends the link to a folder or document by mail, in the language of each recipient; made when there is none. Warnings tell of recipients whom the mail server refuses, and of mails that wait. A pin of the link is in the mail',
      body: json(ShareLinkMail),
      reply: value<undefined>('nothing'),
      errors: [
        ...target,
        ShareErrors.badAddress,
        FolderErrors.mayNotShare,
        ShareErrors.noEditPermission,
        QuotaErrors.exceeded,
        RequestErrors.badBodyData,
        OutgoingMailErrors.queueFull,
      ],
    }),
    deleteLink: action({
      access: requireRights(FOLDER_RIGHTS.decidedByOwner, FOLDER_RIGHTS.administer),
      ...common,
      http: 'PUT',
      doc: 'Removes a link together with its guest',
      query: ShareLinkQuery,
      body: json(ShareTarget),
      reply: value<undefined>('nothing'),
      errors: [...target, ShareErrors.badLink, ShareErrors.noDeletePermission, ShareErrors.changed],
    }),
  },
  { service: 'folders' },
);

/** Links as browsers open them: `{base}/share/<token>/<path>`. */
export const share = defineModule(
  'share',
  {
    open: action({
      access: allowCallers('who has the address of a link opens it; a pin or password is asked for at the login'),
      http: 'GET',
      action: null,
      tail: true,
      auth: 'none',
      edge: true,
      credentials: true,
      repeatable: false,
      idempotency: 'none',
      doc: 'Opens a link: leads to the web client with a session of the guest, new or that of an earlier visit, or to its login page (`login_type`) where a pin or password is needed. 404 with SHR-0002 for an unknown or expired link, as a page where HTML is accepted. The link of a document with `dl` or `delivery` answers its bytes without a session, that of a calendar or a folder of tasks an iCalendar file to programs that accept `text/calendar` or are known to want one, with Basic authentication where there is a pin or password',
      query: ShareQuery,
      reply: plain<undefined | FileReply>(undefined, { doc: 'Redirect, bytes of a document, or a calendar' }),
      errors: [ShareErrors.notFound, RequestErrors.tooManyRequests],
    }),
  },
  { service: 'identity' },
);

/** A token of the address of a login page. */
export class ShareTokenQuery {
  @Field.text({ doc: 'Token of the address', maxLength: 128, minLength: 1 }) token!: string;
  @Field.text({ doc: 'Language of texts; default: that of the browser', optional: true, maxLength: 32 })
  language?: string;
}

/** Login pages that links lead to. */
export const shareRedeemToken = defineModule(
  'share/redeem/token',
  {
    redeem: action({
      access: allowCallers('who has the token has the address of the share, too'),
      http: 'GET',
      action: null,
      auth: 'none',
      edge: true,
      repeatable: false,
      idempotency: 'none',
      doc: 'What the login page of a link shows, as flat texts; once for each token. `error` alone for one that is unknown, used or old',
      query: ShareTokenQuery,
      reply: plain<Readonly<Record<string, string>>>(undefined, {
        doc: '`share`, `target`, `login_type`, `login_name`, `message_type`, `message` and `status`, or `error`',
      }),
    }),
  },
  { service: 'identity' },
);

/** A guest who forgot the password. */
export class ShareResetQuery {
  @Field.text({ doc: 'Token of the share (required), in the query or a form', optional: true, maxLength: 512 })
  share?: string;
  @Field.text({ doc: 'Path of the link after the token', optional: true, maxLength: 512 }) target?: string;
}

/** The address of a mail for a guest who forgot the password. */
export class ShareResetPageQuery extends ShareResetQuery {
  @Field.text({ doc: 'Token of the mail; the login page gives it back', optional: true, maxLength: 512 })
  confirm?: string;
}

/** New passwords of named guests who forgot theirs. */
export const shareResetPassword = defineModule(
  'share/reset/password',
  {
    show: action({
      access: allowCallers('leads to the login page and looks at nothing'),
      http: 'GET',
      action: null,
      auth: 'none',
      edge: true,
      repeatable: false,
      idempotency: 'none',
      doc: 'Leads to the login page with `login_type=reset_password`: it asks whether a mail is wanted, or with `confirm`, as the address of the mail has it, for a new password, which `login?action=guest` takes together with `confirm`',
      query: ShareResetPageQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect; 400 without a share' }),
    }),
    order: action({
      access: allowCallers('mails go to the guest alone, and who asks is told nothing'),
      http: 'POST',
      action: null,
      auth: 'none',
      edge: true,
      repeatable: false,
      idempotency: 'none',
      doc: 'Sends a named guest with a password a mail whose address leads to a new one, once and within com.example.share.passwordReset.lifetime. The answer is the same whether there is such a guest or not. SHR-0002 where com.example.share.guestHostname is not set',
      query: ShareResetQuery,
      body: form(ShareResetQuery),
      reply: value<Record<string, never>>('an empty object'),
      errors: [ShareErrors.notFound, RequestErrors.missingParameter, RequestErrors.tooManyRequests],
    }),
  },
  { service: 'identity' },
);
