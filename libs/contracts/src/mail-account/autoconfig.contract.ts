import { RequestErrors } from '../edge/edge.errors';
import { action, allowCallers, defineModule, errorCatalog, Field, form, value } from '../kit';

const OWN_ACCOUNTS = allowCallers('asks foreign servers, with what the user gave');

/** Search for the servers of an address (API page "Errors", prefix MAIL-AUTOCONFIG). */
export const AutoconfigErrors = errorCatalog('MAIL-AUTOCONFIG', {
  badAddress: {
    number: 2,
    category: 'ERROR',
    message: "'%1' is no mail address.",
    display: "'%1' is no mail address.",
    http: 400,
  },
});

/** The address whose servers are wanted. */
export class AutoconfigForm {
  @Field.text({ doc: 'Mail address', maxLength: 320 }) email!: string;
  @Field.text({ doc: 'Password, to verify what was found; or oauth', optional: true, maxLength: 1024, writeOnly: true })
  password?: string;
  @Field.boolean({ doc: 'Only encrypted connections; default true', optional: true }) force_secure?: boolean;
  @Field.int({ doc: 'OAuth account instead of a password', optional: true, min: 0 }) oauth?: number;
}

/** Result of a search: fields of a mail account; nothing found: no fields. */
export interface FoundConfig {
  readonly login?: string;
  readonly mail_server?: string;
  readonly mail_port?: number;
  readonly mail_protocol?: string;
  readonly mail_secure?: boolean;
  readonly mail_starttls?: boolean;
  readonly mail_url?: string;
  readonly mail_oauth?: number;
  readonly transport_server?: string;
  readonly transport_port?: number;
  readonly transport_protocol?: string;
  readonly transport_secure?: boolean;
  readonly transport_starttls?: boolean;
  readonly transport_url?: string;
  readonly transport_oauth?: number;
  /** Source of the configuration, such as `file`, `web`, `dns` or `guess`. */
  readonly config_source?: string;
}

/** Finds the servers of a mail address. */
export const autoconfig = defineModule(
  'autoconfig',
  {
    get: action({
      access: OWN_ACCOUNTS,
      appScopes: ['write_mailaccount'],
      http: 'POST',
      doc: 'Finds the mail and transport server of an address; an empty object when there is nothing to be found',
      body: form(AutoconfigForm),
      reply: value<FoundConfig>('what was found'),
      capability: 'webmail',
      repeatable: true,
      deadlineMs: 60_000,
      errors: [RequestErrors.missingParameter, RequestErrors.tooManyRequests, AutoconfigErrors.badAddress],
    }),
  },
  { service: 'mail-account' },
);
