import { property, propertyFamily, type PropertyScope } from '../kit';

const everywhere: readonly PropertyScope[] = ['user', 'context', 'server'];
const PREFIX = 'com.example.mail.filter.';

/** Source of the address of a user's server. */
export const FILTER_LOGIN_TYPE = property<string>({
  key: `${PREFIX}loginType`,
  default: 'user',
  values: ['user', 'global'],
  doc: 'Whether rules live at the host of the primary mailbox (user) or at the one that com.example.mail.filter.server names (global).',
});

/** The host of all rules. */
export const FILTER_SERVER = property<string>({
  key: `${PREFIX}server`,
  default: '',
  doc: 'Host of rules for com.example.mail.filter.loginType=global.',
});

/** The port of servers. */
export const FILTER_PORT = property<number>({
  key: `${PREFIX}port`,
  default: 4190,
  min: 1,
  max: 65_535,
  doc: 'Port on which servers of rules speak ManageSieve; MAIL_PORTS must allow it.',
});

/** Source of the login name. */
export const FILTER_CREDENTIAL_SOURCE = property<string>({
  key: `${PREFIX}credentialSource`,
  default: 'imapLogin',
  values: ['imapLogin', 'session', 'mail'],
  doc: 'Login name at the server of rules: that of the primary mailbox (imapLogin), that of the user (session), or the mail address (mail).',
});

/** Source of the password. */
export const FILTER_PASSWORD_SOURCE = property<string>({
  key: `${PREFIX}passwordSource`,
  default: 'session',
  values: ['session', 'global'],
  doc: 'Password at the server of rules: that of the primary mailbox (session), or MAIL_FILTER_MASTER_PASSWORD (global), which is sent to the hosts of MAIL_FILTER_MASTER_SERVERS and to com.example.mail.filter.server only.',
});

/** Time to connect. */
export const FILTER_CONNECTION_TIMEOUT = property<number>({
  key: `${PREFIX}connectionTimeout`,
  default: 30_000,
  min: 100,
  max: 120_000,
  scopes: everywhere,
  doc: 'Longest time until the log-in at the server of rules is done, and of one command there, ms.',
});

/** The script of ours. */
export const FILTER_SCRIPT_NAME = property<string>({
  key: `${PREFIX}scriptName`,
  default: 'Groupware',
  scopes: everywhere,
  doc: 'Name of the script that holds the rules. Another one that is active is read, kept, and replaced by this one with the first change.',
});

/** Addresses and domains that mails may be redirected to. */
export const FILTER_REDIRECT_WHITELIST = property<string>({
  key: `${PREFIX}redirectWhitelist`,
  default: '',
  scopes: everywhere,
  doc: 'Addresses and domains to which rules may redirect mails and send notices, a comma list with * as wild card (*@a.example, *.example); empty: any.',
});

/** Domains whose senders get vacation notices. */
export const FILTER_VACATION_DOMAINS = property<string>({
  key: `${PREFIX}vacationDomains`,
  default: '',
  scopes: everywhere,
  doc: 'Domains of senders who get vacation notices, a comma list; empty: all. Clients do not see the test that is added to their rules.',
});

/** Whether tests may hold tests. */
export const FILTER_NESTED_TESTS = property<boolean>({
  key: `${PREFIX}allowNestedTests`,
  default: true,
  scopes: everywhere,
  doc: 'Whether clients offer tests within tests (option allowNestedTests of mailfilter/v2?action=config).',
});

/** Largest script. */
export const FILTER_MAX_SCRIPT_BYTES = property<number>({
  key: `${PREFIX}maxScriptSize`,
  default: 1_048_576,
  min: 1_024,
  max: 4_194_304,
  scopes: ['context', 'server'],
  doc: 'Largest script that is read and written, bytes; servers have a limit of their own.',
});

/** Tests that are not offered. */
export const FILTER_HIDDEN_TESTS = property<string>({
  key: `${PREFIX}blacklist.tests`,
  default: '',
  scopes: everywhere,
  doc: 'Ids of tests, a comma list, that mailfilter/v2 does not offer and refuses in rules.',
});

/** Actions that are not offered. */
export const FILTER_HIDDEN_ACTIONS = property<string>({
  key: `${PREFIX}blacklist.actions`,
  default: '',
  scopes: everywhere,
  doc: 'Ids of actions, a comma list, that mailfilter/v2 does not offer and refuses in rules.',
});

/** Comparisons that are not offered. */
export const FILTER_HIDDEN_COMPARISONS = property<string>({
  key: `${PREFIX}blacklist.comparisons`,
  default: '',
  scopes: everywhere,
  doc: 'Comparisons, a comma list, that mailfilter/v2 does not offer and refuses in rules.',
});

/** Comparisons of one test, by its id, that are not offered. */
export const filterHiddenComparisonsOf = propertyFamily<string>(
  (id) => `${PREFIX}blacklist.tests.${id}.comparisons`,
  /^com\.example\.mail\.filter\.blacklist\.tests\.[A-Za-z]{1,32}\.comparisons$/,
  {
    default: '',
    scopes: everywhere,
    doc: 'Comparisons of this test, a comma list, that mailfilter/v2 does not offer and refuses in rules.',
  },
);
