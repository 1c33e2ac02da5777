import { RequestErrors } from '../../edge/edge.errors';
import { defineModule, Field, plain, rest, restAt } from '../../kit';
import { SharedAccountErrors } from './sharedaccounts.errors';

const MAX_ID = 2 ** 31 - 1;

/** Places of a user. */
export class SharedAccountsPath {
  @Field.contextId() context!: number;
  @Field.int({ doc: 'User id', min: 1, max: MAX_ID }) user!: number;
}
/** Places of a user and an account. */
export class SharedAccountPath extends SharedAccountsPath {
  @Field.text({ doc: 'Account: `<user id>@<context id>`', maxLength: 64 }) accountId!: string;
}
/** User who asks: exactly one of the two. */
export class SharedAccountsQuery {
  @Field.text({ doc: 'Mail address of the user', optional: true, maxLength: 320 }) userEmail?: string;
  @Field.text({ doc: 'Login of the user at the mail server', optional: true, maxLength: 320 }) userMailLogin?: string;
}
/** User who asks, and the account asked for: exactly one of each two. */
export class SharedAccountQuery extends SharedAccountsQuery {
  @Field.text({ doc: 'Mail address of the account', optional: true, maxLength: 320 }) accountEmail?: string;
  @Field.text({ doc: 'Login of the account at the mail server', optional: true, maxLength: 320 })
  accountMailLogin?: string;
}

/** Contact data of the owner of an account. */
export class SharedAccountContact {
  @Field.text({ doc: 'Title', optional: true }) title?: string;
  @Field.text({ doc: 'First name', optional: true }) first_name?: string;
  @Field.text({ doc: 'Last name', optional: true }) last_name?: string;
  @Field.text({ doc: 'Mail address', optional: true }) email1?: string;
  @Field.text({ doc: 'Address of the picture below the host; only within the own context', optional: true })
  image1_url?: string;
}
/** The owner of an account. */
export class SharedAccountEntity {
  @Field.text({ doc: '`<user id>@<context id>`' }) identifier!: string;
  @Field.text({ doc: 'Kind', values: ['user'] }) type!: string;
  @Field.text({ doc: 'Name for people' }) display_name!: string;
  @Field.int({ doc: 'User id; only within the own context', optional: true }) entity?: number;
  @Field.object(() => SharedAccountContact, { doc: 'Contact data' }) contact!: SharedAccountContact;
}
/** An account of another user in which a user may act. */
export class SharedAccount {
  @Field.text({ doc: '`<user id>@<context id>`' }) accountId!: string;
  @Field.object(() => SharedAccountEntity, { doc: 'The owner' }) entityInfo!: SharedAccountEntity;
  @Field.listOf('text', { doc: 'What may be used: modules, and send_on_behalf' }) capabilities!: string[];
  @Field.any({ doc: 'By module: {permissions, folders: [{id, name, permissions}], …}' })
  moduleConfigurations!: Record<string, object>;
}

const base = '/preliminary/sharedaccounts/v1';
const one = plain<SharedAccount>(SharedAccount);
const many = plain<SharedAccount[]>(SharedAccount, { list: true });
const byMail = [SharedAccountErrors.exactlyOne, SharedAccountErrors.notFound, RequestErrors.serviceUnavailable];

/** Accounts in which a user may act: as deputy, or through shared folders. */
export const sharedAccounts = defineModule(
  'preliminary-sharedaccounts',
  {
    getSharedAccountByMail: rest<SharedAccountQuery, undefined, SharedAccount>({
      http: 'GET',
      callers: ['service'],
      path: `${base}/account`,
      doc: 'One account in which a user may act; both are given by mail address or mail login',
      query: SharedAccountQuery,
      reply: one,
      errors: byMail,
    }),
    listSharedAccountsByMail: rest<SharedAccountsQuery, undefined, SharedAccount[]>({
      http: 'GET',
      callers: ['service'],
      path: `${base}/accounts`,
      doc: 'The accounts in which a user may act, who is given by mail address or mail login',
      query: SharedAccountsQuery,
      reply: many,
      errors: byMail,
    }),
    listSharedAccounts: restAt(SharedAccountsPath, {
      http: 'GET',
      callers: ['service'],
      path: `${base}/{context}/{user}`,
      doc: 'The accounts in which a user may act',
      reply: many,
      errors: [SharedAccountErrors.userNotFound],
    }),
    getSharedAccount: restAt(SharedAccountPath, {
      http: 'GET',
      callers: ['service'],
      path: `${base}/{context}/{user}/{accountId}`,
      doc: 'One account in which a user may act',
      reply: one,
      errors: [SharedAccountErrors.userNotFound, SharedAccountErrors.malformedId, SharedAccountErrors.notFound],
    }),
  },
  { service: 'admin' },
);
