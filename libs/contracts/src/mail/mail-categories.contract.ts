import { MailFilterErrors } from '../mail-filter/mail-filter.errors';
import { mailFilter } from '../mail-filter/mail-filter.contract';
import { action, defineModule, Field, json, jsonList, value, type ErrorFactory, type Operation } from '../kit';
import { OWN_MAILBOXES } from './mail.access';
import { MailErrors } from './mail.errors';
import { MailCategoryErrors } from './mail-categories.errors';

/** Categories whose unread mails are counted. */
export class MailCategoriesQuery {
  @Field.columns({ doc: 'Categories; default: all. Unknown ones are left out', optional: true })
  category_ids?: string[];
}

/** One category. */
export class MailCategoryQuery {
  @Field.text({ doc: 'Category; general is what is in none', maxLength: 128 }) category_id!: string;
}

/** How senders are sorted into a category. */
export class MailCategoryTrainingQuery extends MailCategoryQuery {
  @Field.boolean({ name: 'apply-for-existing', doc: 'true: the mails that are there', optional: true })
  applyForExisting?: boolean;
  @Field.boolean({ name: 'apply-for-future-ones', doc: 'true: the mails to come, by a rule', optional: true })
  applyForFutureOnes?: boolean;
}

/** A mail that is sorted into a category. */
export class CategorizedMail {
  @Field.id({ doc: 'Mail' }) id!: string;
  @Field.text({ doc: 'Folder; others than the inbox of the primary account are skipped', maxLength: 2048 })
  folder_id!: string;
}

/** Senders whose mails are sorted into a category. */
export class MailCategoryTraining {
  @Field.listOf('text', { doc: 'Addresses', maxItems: 100 }) from!: string[];
}

const common = { access: OWN_MAILBOXES, capability: 'webmail', auth: 'session', deadlineMs: 60_000 } as const;
const errors: readonly ErrorFactory[] = [MailCategoryErrors.disabled, MailErrors.loginFailed, MailErrors.unreachable];
const ofRules: readonly ErrorFactory[] = [
  MailFilterErrors.badCredentials,
  MailFilterErrors.unreachable,
  MailFilterErrors.failed,
];
const nothing = value<null>('nothing');

/** Operations that categories call to sort mails to come. */
export const CATEGORY_CALLS: readonly Operation[] = [
  mailFilter.list,
  mailFilter.new,
  mailFilter.update,
  mailFilter.delete,
];

/** Categories of the mails in the inbox of the primary account: keywords at the mail server. */
export const mailCategories = defineModule(
  'mail/categories',
  {
    unread: action({
      ...common,
      http: 'GET',
      appScopes: ['read_mail'],
      doc: 'Counts the unread mails of categories',
      query: MailCategoriesQuery,
      reply: value<Readonly<Record<string, number>>>('numbers by category, that of general among them'),
      errors,
    }),
    move: action({
      ...common,
      http: 'PUT',
      appScopes: ['write_mail'],
      idempotency: 'claimed',
      doc: 'Sorts mails into a category, out of all others',
      query: MailCategoryQuery,
      body: jsonList(CategorizedMail, { maxItems: 1_000 }),
      reply: nothing,
      errors: [...errors, MailCategoryErrors.unknownCategory],
    }),
    train: action({
      ...common,
      http: 'PUT',
      // Closed to applications: rules outlive their passwords.
      idempotency: 'claimed',
      doc: 'Sorts the mails of senders into a category: those that are there, those to come, or both',
      query: MailCategoryTrainingQuery,
      body: json(MailCategoryTraining),
      reply: nothing,
      errors: [
        ...errors,
        MailCategoryErrors.unknownCategory,
        MailCategoryErrors.noFilter,
        MailCategoryErrors.noSender,
        MailErrors.invalidAddress,
        ...ofRules,
      ],
    }),
  },
  { service: 'mail' },
);
