import { action, allowCallers, defineModule, Field, PASSWORD_SCOPE, value } from '../kit';
import type { QuotaAccount } from './quota-owner.contract';
import { QuotaErrors } from './quota.errors';

/** Which part of the overview. */
export class QuotaQuery {
  @Field.text({ doc: 'Only this module: its accounts', optional: true, maxLength: 64 }) module?: string;
  @Field.text({ doc: 'Only this account of the module', optional: true, maxLength: 64 }) account?: string;
}

/** The limits of one module. */
export interface ModuleQuota {
  readonly display_name: string;
  readonly accounts: readonly QuotaAccount[];
}

/** Usage and limits of a user and the context, over all modules with limits. */
export const quotaOverview = defineModule(
  'quota',
  {
    get: action({
      access: allowCallers('numbers of the own context and of the own account'),
      appScopes: [PASSWORD_SCOPE],
      http: 'GET',
      doc: 'All modules with limits by their names; the accounts of one module; or one account. A module that does not answer is left out, with a warning',
      query: QuotaQuery,
      reply: value<Readonly<Record<string, ModuleQuota>> | readonly QuotaAccount[] | QuotaAccount>(
        'object of modules, array of accounts, or one account',
      ),
      auth: 'session',
      errors: [QuotaErrors.unknownAccount],
    }),
  },
  { service: 'settings' },
);
