import { action, allowCallers, defineModule, Field, json, none, plain, rest, restAt } from '../kit';
import { RestErrors } from '../edge/edge.errors';
import { DirectoryErrors, ProvisioningErrors } from '../identity/identity.errors';
import { LoginErrors } from './login.errors';
import { UserPath } from '../identity/provisioning.queries';

const OWN_PASSWORD = allowCallers('the own password, by the old one or by a token');

/** A change of the own password. */
export class PasswordChangeBody {
  @Field.text({ doc: 'Current password', optional: true, writeOnly: true, maxLength: 4096 }) old_password?: string;
  @Field.text({ doc: 'New password', optional: true, writeOnly: true, maxLength: 65_536 }) new_password?: string;
}

/** An invitation and the password that its user chose. */
export class RedeemBody {
  @Field.text({ doc: 'Token of the invitation', writeOnly: true, maxLength: 256 }) token!: string;
  @Field.text({ doc: 'New password', writeOnly: true, maxLength: 65_536 }) new_password!: string;
}

/** A password that has expired, and the one that its user chose. */
export class RenewBody {
  @Field.text({ doc: 'Login name', maxLength: 512 }) name!: string;
  @Field.text({ doc: 'Current password', writeOnly: true, maxLength: 4096 }) old_password!: string;
  @Field.text({ doc: 'New password', writeOnly: true, maxLength: 65_536 }) new_password!: string;
}

const refusedPasswords = [
  DirectoryErrors.passwordTooShort,
  DirectoryErrors.passwordTooLong,
  DirectoryErrors.badPasswordCharacters,
  DirectoryErrors.passwordNotAllowed,
];

/** Users change their own password. */
export const passwordchange = defineModule(
  'passwordchange',
  {
    update: action({
      access: OWN_PASSWORD,
      http: 'PUT',
      auth: 'session',
      capability: 'edit_password',
      guests: true,
      edge: true,
      idempotency: 'none',
      doc: 'Changes the password of the user or named guest; other sessions end, unless configured otherwise. A guest without one needs no old password',
      body: json(PasswordChangeBody),
      reply: none(),
      errors: [
        DirectoryErrors.wrongPassword,
        DirectoryErrors.passwordMissing,
        DirectoryErrors.newPasswordMissing,
        LoginErrors.tooManyAttempts,
        ...refusedPasswords,
      ],
    }),
    renew: action({
      access: OWN_PASSWORD,
      http: 'PUT',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      doc: 'Changes a password that has expired (LGI-0011), without a session; any other is answered as a wrong one',
      body: json(RenewBody),
      reply: none(),
      errors: [LoginErrors.invalidCredentials, LoginErrors.tooManyAttempts, ...refusedPasswords],
    }),
    redeem: action({
      access: OWN_PASSWORD,
      http: 'PUT',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      doc: 'Sets the password of a user whom an import invited. The token is good once; a refused password does not use it up',
      body: json(RedeemBody),
      reply: none(),
      errors: [ProvisioningErrors.unknownInvitation, ...refusedPasswords],
    }),
  },
  { service: 'identity' },
);

/** Order and number of entries. */
export class PasswordChangesQuery {
  @Field.int({ doc: 'Most entries; 0 or less: all', optional: true }) limit?: number;
  @Field.text({
    doc: 'Comma list of date and client_id; a leading minus turns the order around. Default -date',
    optional: true,
    maxLength: 256,
  })
  sort?: string;
}

/** One change of a password. */
export interface PasswordChangeHistoryEntry {
  /** ms UTC */
  readonly date: number;
  /** Client id; `unknown` when there was none. */
  readonly client_id: string;
  readonly client_address?: string;
  /** Name of known clients for people. */
  readonly client_name?: string;
}

/** One client of the user. */
export class LastLoginsPath {
  @Field.contextId() contextId!: number;
  @Field.int({ doc: 'User id', min: 1 }) userId!: number;
}

/** Only one client. */
export class LastLoginsQuery {
  @Field.text({ doc: 'Only this client; * means all', optional: true, maxLength: 256 }) client?: string;
}

/** Last login with each client. */
export interface LastLoginTimestamps {
  readonly timestamps: readonly { readonly client: string; readonly timestamp: number }[];
}

/** A span of time. */
export class LoginCountsQuery {
  @Field.timestamp({ doc: 'Only last logins after this, ms UTC' }) startDate!: number;
  @Field.timestamp({ doc: 'Only last logins before this, ms UTC' }) endDate!: number;
  @Field.boolean({ doc: 'true: count each user once, without clients', optional: true }) aggregate?: boolean;
}

/** How many users logged in last within a span, by client. */
export interface LoginCounts {
  readonly sum: number;
  readonly clients: readonly { readonly client: string; readonly count: number }[];
}

/** History of passwords and logins, for administrators. */
export const loginHistory = defineModule(
  'login-history',
  {
    listPasswordChanges: restAt(UserPath, {
      http: 'GET',
      path: '/admin/v1/contexts/{context-id}/users/{user-id}/passwd-changes',
      callers: ['contextAdmin', 'resellerOfContext', 'master'],
      doc: 'Changes of the password of a user, newest first',
      query: PasswordChangesQuery,
      reply: plain<PasswordChangeHistoryEntry[]>(undefined, {
        doc: 'Array of {date, client_id, client_address?, client_name?}',
      }),
      errors: [DirectoryErrors.userNotFound, RestErrors.invalid],
    }),
    getLastLoginTimestamps: restAt(LastLoginsPath, {
      http: 'GET',
      path: '/admin/v1/login-statistics/contexts/{contextId}/users/{userId}/last-logins',
      callers: ['service', 'master'],
      hidesFromResellers: true,
      doc: 'Last login of a user with each client',
      query: LastLoginsQuery,
      reply: plain<LastLoginTimestamps>(undefined, { doc: '{timestamps: [{client, timestamp}]}' }),
      errors: [DirectoryErrors.userNotFound],
    }),
    getLoginCounts: rest({
      http: 'GET',
      path: '/admin/v1/login-statistics/counts',
      callers: ['service', 'master'],
      hidesFromResellers: true,
      doc: 'How many pairs of user and client logged in last within a span, both bounds exclusive',
      query: LoginCountsQuery,
      reply: plain<LoginCounts>(undefined, { doc: '{sum, clients: [{client, count}]}' }),
      errors: [RestErrors.invalid],
    }),
  },
  { service: 'identity' },
);
