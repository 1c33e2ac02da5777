import type { SieveArgument, SieveCommand, SieveTest } from './syntax';

/** Extension by command; empty: none. */
const COMMANDS: Readonly<Record<string, string>> = {
  if: '',
  elsif: '',
  else: '',
  require: '',
  stop: '',
  keep: '',
  discard: '',
  redirect: '',
  fileinto: 'fileinto',
  reject: 'reject',
  ereject: 'ereject',
  vacation: 'vacation',
  setflag: 'imap4flags',
  addflag: 'imap4flags',
  removeflag: 'imap4flags',
  notify: 'enotify',
  set: 'variables',
  addheader: 'editheader',
  deleteheader: 'editheader',
  include: 'include',
  return: 'include',
  global: 'include',
  foreverypart: 'foreverypart',
  break: 'foreverypart',
  extracttext: 'extracttext',
  replace: 'replace',
  enclose: 'enclose',
  error: 'ihave',
  pgp_encrypt: 'vnd.dovecot.pgp-encrypt',
};
/** Extension by test. */
const TESTS: Readonly<Record<string, string>> = {
  true: '',
  false: '',
  not: '',
  allof: '',
  anyof: '',
  address: '',
  header: '',
  exists: '',
  size: '',
  envelope: 'envelope',
  body: 'body',
  date: 'date',
  currentdate: 'date',
  hasflag: 'imap4flags',
  string: 'variables',
  environment: 'environment',
  duplicate: 'duplicate',
  ihave: 'ihave',
  mailboxexists: 'mailbox',
  spamtest: 'spamtest',
  virustest: 'virustest',
  valid_notify_method: 'enotify',
  notify_method_capability: 'enotify',
};
/** Extension by tag, of tags that do not belong to the extension of their command. */
const TAGS: Readonly<Record<string, string>> = {
  regex: 'regex',
  value: 'relational',
  count: 'relational',
  user: 'subaddress',
  detail: 'subaddress',
  copy: 'copy',
  create: 'mailbox',
  index: 'index',
  last: 'index',
  anychild: 'mime',
  seconds: 'vacation-seconds',
  list: 'extlists',
};

/** Commands whose tags are of their own extension, whatever they are called. */
const WITH_OWN_TAGS: readonly string[] = ['addheader', 'deleteheader'];

/** The extensions that commands need; undefined when they hold one that is not known here. */
export function extensionsOf(commands: readonly SieveCommand[]): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  return addCommands(found, commands) ? found : undefined;
}

function addCommands(found: Set<string>, commands: readonly SieveCommand[]): boolean {
  return commands.every(
    (command) =>
      addTo(found, COMMANDS, command) && addTests(found, command.tests) && addCommands(found, command.block ?? []),
  );
}

function addTests(found: Set<string>, tests: readonly SieveTest[]): boolean {
  return tests.every((test) => addTo(found, TESTS, test) && addTests(found, test.tests));
}

function addTo(found: Set<string>, table: Readonly<Record<string, string>>, part: SieveTest): boolean {
  if (!Object.hasOwn(table, part.name)) return false;
  if (table[part.name]) found.add(table[part.name]!);
  part.arguments.forEach((argument, index) => addTag(found, part, argument, part.arguments[index + 1]));
  return true;
}

function addTag(found: Set<string>, part: SieveTest, argument: SieveArgument, next: SieveArgument | undefined): void {
  if (argument.kind !== 'tag') return;
  const { name } = argument;
  if (name === 'flags' && part.name !== 'hasflag') found.add('imap4flags');
  if (name === 'mime' && part.name !== 'vacation') found.add('mime');
  if (name === 'comparator' && next?.kind === 'text' && !/^i;(octet|ascii-casemap)$/.test(next.value))
    found.add(`comparator-${next.value}`);
  const isOwn = WITH_OWN_TAGS.includes(part.name) && TAGS[name] === 'index';
  if (Object.hasOwn(TAGS, name) && !isOwn) found.add(TAGS[name]!);
}
