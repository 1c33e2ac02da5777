import { resealing } from '../admin/secrets';
import { RequestErrors } from '../edge/edge.errors';
import { action, allowCallers, defineModule, Field, json, jsonListOf, one, rows, value } from '../kit';
import { MailAccountErrors } from './mail-account.errors';
import { MailAccountData, type MailAccountStatus } from './mail-account.model';

const OWN_ACCOUNTS = allowCallers('accounts of the user of the session only');

/** Columns of the list. */
export class MailAccountAllQuery {
  @Field.columns({ doc: 'Column numbers of the answer; missing or empty: all but meta', optional: true })
  columns?: string[];
}

/** One account. */
export class MailAccountQuery {
  @Field.int({ doc: 'Account id' }) id!: number;
}

/** How to validate. */
export class MailAccountValidateQuery {
  @Field.boolean({ doc: 'Answer the folder tree instead of true, null instead of false', optional: true })
  tree?: boolean;
  @Field.boolean({ doc: 'Problems of the transport server are warnings only', optional: true })
  ignoreInvalidTransport?: boolean;
}

/** Account whose status is asked for. */
export class MailAccountStatusQuery {
  @Field.int({ doc: 'Account id; default: all accounts', optional: true }) id?: number;
}

/** A folder of a mail account that was validated. */
export interface MailFolderTree {
  readonly id: string;
  readonly folder_id?: string;
  readonly title: string;
  readonly module: 'mail';
  readonly subfolders: boolean;
  readonly subscribed: boolean;
  readonly standard_folder: boolean;
  /** 0 none, 7 inbox, 9 drafts, 10 sent, 11 spam, 12 trash. */
  readonly standard_folder_type: number;
  readonly subfolder_array: readonly MailFolderTree[];
}

/** The mail accounts of the user. */
export const mailAccount = defineModule(
  'account',
  {
    all: action({
      access: OWN_ACCOUNTS,
      appScopes: ['read_mailaccount'],
      http: 'GET',
      doc: 'Lists the mail accounts of the user, the primary one first',
      query: MailAccountAllQuery,
      reply: rows(MailAccountData),
      capability: 'webmail',
      errors: [RequestErrors.badParameter],
    }),
    get: action({
      access: OWN_ACCOUNTS,
      appScopes: ['read_mailaccount'],
      http: 'GET',
      doc: 'Reads one mail account',
      query: MailAccountQuery,
      reply: one(MailAccountData),
      capability: 'webmail',
      errors: [MailAccountErrors.notFound, MailAccountErrors.multipleNotEnabled],
    }),
    new: action({
      access: OWN_ACCOUNTS,
      appScopes: ['write_mailaccount'],
      http: 'PUT',
      doc: 'Creates a mail account',
      body: json(MailAccountData),
      reply: one(MailAccountData),
      capability: 'webmail',
      deadlineMs: 60_000,
      errors: [
        RequestErrors.missingParameter,
        MailAccountErrors.multipleNotEnabled,
        MailAccountErrors.badName,
        MailAccountErrors.badHost,
        MailAccountErrors.addressTaken,
        MailAccountErrors.mailboxTaken,
        MailAccountErrors.badServer,
        MailAccountErrors.unifiedExists,
        MailAccountErrors.unifiedNotCreatable,
        MailAccountErrors.secondPrimary,
      ],
    }),
    update: action({
      access: OWN_ACCOUNTS,
      appScopes: ['write_mailaccount'],
      http: 'PUT',
      doc: 'Changes the fields of a mail account that are given. A server that a password was not given for needs it again',
      body: json(MailAccountData),
      reply: one(MailAccountData),
      capability: 'webmail',
      errors: [
        RequestErrors.missingParameter,
        MailAccountErrors.notFound,
        MailAccountErrors.primaryNotChangeable,
        MailAccountErrors.badName,
        MailAccountErrors.protocolChange,
        MailAccountErrors.addressTaken,
        MailAccountErrors.mailboxTaken,
      ],
    }),
    validate: action({
      access: OWN_ACCOUNTS,
      appScopes: ['write_mailaccount'],
      http: 'PUT',
      doc: 'Tries to log in to the servers of an account that need not be stored. What is wrong comes as warnings',
      query: MailAccountValidateQuery,
      body: json(MailAccountData),
      reply: value<boolean | MailFolderTree | null>('true or false; with tree the root folder or null'),
      capability: 'webmail',
      repeatable: true,
      deadlineMs: 90_000,
      errors: [
        RequestErrors.missingParameter,
        MailAccountErrors.notFound,
        MailAccountErrors.multipleNotEnabled,
        MailAccountErrors.unifiedNotValidatable,
      ],
    }),
    status: action({
      access: OWN_ACCOUNTS,
      appScopes: ['read_mailaccount'],
      http: 'GET',
      doc: 'Tells whether accounts can be used, by account id; the primary account is ok, without a check, unless it is switched off',
      query: MailAccountStatusQuery,
      reply: value<Record<string, MailAccountStatus | null>>('states by account id'),
      capability: 'webmail',
      deadlineMs: 90_000,
      errors: [MailAccountErrors.notFound, MailAccountErrors.multipleNotEnabled],
    }),
    delete: action({
      access: OWN_ACCOUNTS,
      appScopes: ['write_mailaccount'],
      http: 'PUT',
      doc: 'Deletes mail accounts; unknown ids are skipped. Answers the ids of those that were deleted',
      body: jsonListOf<number>('int', { maxItems: 1_000 }),
      reply: value<number[]>('ids of deleted accounts'),
      capability: 'webmail',
      errors: [MailAccountErrors.primaryNotDeletable],
    }),
  },
  { service: 'mail-account' },
);

/** Mail accounts, for administrators. */
export const mailAccountAdministration = defineModule(
  'mail-account-administration',
  {
    resealPasswords: resealing(
      '/admin/v1/mail-accounts/reseal',
      'Seals the passwords of all mail accounts with the newest secret key',
    ),
  },
  { service: 'mail-account' },
);
