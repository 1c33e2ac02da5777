import { action, allowCallers, defineModule, jsonValue, value } from '../kit';
import { MailFilterErrors } from './mail-filter.errors';
import {
  MailFilterListQuery,
  MailFilterQuery,
  type ForeignMailFilterRule,
  type MailFilterConfig,
  type MailFilterConfigV2,
  type MailFilterRule,
} from './mail-filter.model';

const common = {
  access: allowCallers(
    'rules of the user of the session; those of others for the administrator of the context alone, where a master logs in for all; the server of the rules checks who logs in',
  ),
  auth: 'session',
} as const;
const reading = { ...common, appScopes: ['read_mail'] } as const;
/** Closed to applications: rules outlive their passwords, and may send mails elsewhere. */
const writing = {
  ...common,
  http: 'PUT',
  // The script is at the mail server: an addition that is repeated is a second rule.
  idempotency: 'claimed',
} as const;
const ofServer = [
  MailFilterErrors.notAvailable,
  MailFilterErrors.badCredentials,
  MailFilterErrors.noServer,
  MailFilterErrors.unreachable,
  MailFilterErrors.failed,
];
const ofChange = [...ofServer, MailFilterErrors.locked, MailFilterErrors.badRule];
const ofRule = [
  ...ofChange,
  MailFilterErrors.badJson,
  MailFilterErrors.missingParameter,
  MailFilterErrors.emptyField,
  MailFilterErrors.badNumber,
  MailFilterErrors.badPosition,
  MailFilterErrors.secondVacation,
  MailFilterErrors.badRedirect,
  MailFilterErrors.redirectRefused,
  MailFilterErrors.tooManyRedirects,
];
const nothing = value<null>('nothing');
const RULE = 'rule: rulename, active, flags, position, test, actioncmds';

/** Calls that both generations of clients make alike. */
const shared = {
  list: action({
    ...reading,
    http: 'GET',
    doc: 'Lists the rules of the active script in the order of their execution; rules that cannot be edited come as text with the reason',
    query: MailFilterListQuery,
    reply: value<readonly (MailFilterRule | ForeignMailFilterRule)[]>('rules'),
    errors: [...ofServer, MailFilterErrors.badFlag],
  }),
  new: action({
    ...writing,
    doc: `Adds a rule. Body: ${RULE}`,
    query: MailFilterQuery,
    body: jsonValue(),
    reply: value<number>('id of the rule'),
    errors: ofRule,
  }),
  update: action({
    ...writing,
    doc: `Changes a rule. Body: its id and what changes of a ${RULE}`,
    query: MailFilterQuery,
    body: jsonValue(),
    reply: nothing,
    errors: [...ofRule, MailFilterErrors.badId, MailFilterErrors.ruleNotFound],
  }),
  delete: action({
    ...writing,
    doc: 'Deletes a rule. Body: {id}',
    query: MailFilterQuery,
    body: jsonValue(),
    reply: nothing,
    errors: [
      ...ofChange,
      MailFilterErrors.badJson,
      MailFilterErrors.missingParameter,
      MailFilterErrors.badId,
      MailFilterErrors.badPosition,
      MailFilterErrors.noScript,
    ],
  }),
  reorder: action({
    ...writing,
    doc: 'Puts rules first, in the order of the list of ids that is the body; the others follow as they were. Rules of categories stay first',
    query: MailFilterQuery,
    body: jsonValue(),
    reply: nothing,
    errors: [...ofChange, MailFilterErrors.badJson, MailFilterErrors.tooManyIds],
  }),
  getscript: action({
    ...reading,
    http: 'PUT',
    doc: 'Gets the text of the active script, empty for none',
    query: MailFilterQuery,
    reply: value<string>('text'),
    reads: true,
    errors: ofServer,
  }),
  deletescript: action({
    ...writing,
    doc: 'Removes all rules, those that cannot be read among them',
    query: MailFilterQuery,
    reply: nothing,
    errors: ofChange,
  }),
} as const;

const configuration = {
  ...reading,
  http: 'GET',
  doc: 'What rules may consist of: tests, comparisons and actions that the server announces',
  query: MailFilterQuery,
  errors: ofServer,
} as const;

/** Rules that sort the mails of a user. */
export const mailFilter = defineModule(
  'mailfilter',
  { ...shared, config: action({ ...configuration, reply: value<MailFilterConfig>('tests and actions') }) },
  { service: 'mail-filter' },
);

/** The same rules in the form that newer clients use. */
export const mailFilterV2 = defineModule(
  'mailfilter/v2',
  { ...shared, config: action({ ...configuration, reply: value<MailFilterConfigV2>('tests, actions and options') }) },
  { service: 'mail-filter' },
);
