import { MailFilterErrors, type MailFilterPart } from '@groupware/contracts';
import { list, number, tag, text, type SieveCommand } from '@groupware/sieve';
import { decodeWords, encodeWords } from './encoded-words';
import {
  requireFields,
  requireHeaders,
  requireLine,
  requireLines,
  requireNumber,
  requireText,
  type Fields,
} from './rule-values';
import { readArguments, requirePositional, stringOf, stringsOf, Unreadable } from './sieve-arguments';
import type { Generation } from './rule-tests';

/** Rules of the operator for where mails may go. */
export interface ActionRules {
  /** Patterns of addresses with `*`; empty: any. */
  readonly redirectWhitelist: readonly string[];
}

/** One address, without name (RFC 5321, section 4.1.2, and RFC 6531). */
const ADDRESS = /^[^\s@<>()[\],;:"\\]{1,64}@[^\s@<>()[\],;:"\\*]{1,255}$/;
/** Flags of the system that rules may set (RFC 9051, section 2.3.2). */
const SYSTEM_FLAG = /^\\(seen|answered|flagged|deleted|draft|recent)$/i;
/** Keywords: characters that an atom may have. */
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z^_`a-z|}~]{1,100}$/;
const FOLDER = /^default(\d{1,9})\/([^]{1,1024})$/;

/** Writes the action of a client. @throws MAIL_FILTER-0025, 0023, 0024, 0017, 0001, 0003 */
export function toSieveCommand(value: unknown, rules: ActionRules): SieveCommand {
  const fields = requireFields(value, 'an action');
  const id = requireLine(fields.id, 'id').toLowerCase();
  const writer = Object.hasOwn(WRITERS, id) ? WRITERS[id] : undefined;
  if (!writer) throw MailFilterErrors.badRule(`the action ${id} is not known`);
  return writer(fields, rules);
}

type Writer = (fields: Fields, rules: ActionRules) => SieveCommand;

const make = (name: string, ...values: SieveCommand['arguments']): SieveCommand => ({
  name,
  arguments: values,
  tests: [],
});

const copyTag = ({ copy }: Fields) => (copy === true || copy === 'true' ? [tag('copy')] : []);

/** @throws MAIL_FILTER-0023, 0024 */
function requireReceiver(value: unknown, name: string, { redirectWhitelist }: ActionRules): string {
  const address = requireText(value, name).trim();
  if (!ADDRESS.test(address)) throw MailFilterErrors.badRedirect(address);
  if (redirectWhitelist.length > 0 && !redirectWhitelist.some((pattern) => allows(pattern, address)))
    throw MailFilterErrors.redirectRefused(address);
  return address;
}

/** True for a pattern of a whole address, or of its domain. */
function allows(pattern: string, address: string): boolean {
  const subject = pattern.includes('@') ? address : address.slice(address.lastIndexOf('@') + 1);
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(subject);
}

function requireAddress(value: unknown, name: string): string {
  const address = requireLine(value, name).trim();
  if (!ADDRESS.test(address)) throw MailFilterErrors.badRule(`${address} in ${name} is no address`);
  return address;
}

const withFlags: (name: string) => Writer = (name) => (fields) => {
  const flags = requireLines(fields.flags, 'flags');
  const wrong = flags.find((flag) => !(flag.startsWith('\\') ? SYSTEM_FLAG : KEYWORD).test(flag));
  if (wrong !== undefined) throw MailFilterErrors.badRule(`${wrong} is no flag`);
  return make(name, list(flags));
};

const notify: Writer = (fields, rules) => {
  const method = requireLine(fields.method, 'method');
  const [, receiver] = /^mailto:([^?]*)$/i.exec(method) ?? [];
  if (receiver === undefined) throw MailFilterErrors.badRule('method is no mailto:');
  return make(
    'notify',
    ...(fields.message === undefined || fields.message === null
      ? []
      : [tag('message'), text(requireText(fields.message, 'message'))]),
    text(`mailto:${requireReceiver(receiver, 'method', rules)}`),
  );
};

const move: Writer = (fields) => {
  const folder = requireLine(fields.into, 'into');
  const match = FOLDER.exec(folder);
  if (match && Number(match[1]) !== 0) throw MailFilterErrors.badRule('mails cannot be moved to another account');
  const path = match ? match[2]! : folder;
  if (path === '' || /^default\d+\/?$/.test(path)) throw MailFilterErrors.badRule(`${folder} is no folder`);
  return make('fileinto', ...copyTag(fields), text(path));
};

const vacation: Writer = (fields) => {
  const days = fields.days === undefined || fields.days === null || fields.days === '' ? undefined : fields.days;
  const count = days === undefined ? undefined : requireNumber(days, 'days');
  if (count === 0) throw MailFilterErrors.badRule('days is below 1');
  const { addresses, subject, from } = fields;
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
  const answer = requireText(fields.text, 'text');
  if (answer.trim() === '') throw MailFilterErrors.emptyField('text');
  return make(
    'vacation',
    ...(count === undefined ? [] : [tag('days'), number(count)]),
    ...(isGiven(addresses)
      ? [tag('addresses'), list(requireLines(addresses, 'addresses').map((each) => requireAddress(each, 'addresses')))]
      : []),
    ...(isGiven(subject) ? [tag('subject'), text(encodeWords(requireLine(subject, 'subject')))] : []),
    ...(isGiven(from) ? [tag('from'), text(toMailbox(from))] : []),
    text(answer.replace(/\r?\n|\r/g, '\r\n')),
  );
};

/**
 * `"Ann" <ann@a.example>` of a pair, an address alone otherwise; within quotes, nothing is an encoded word.
 * @throws MAIL_FILTER-0025
 */
function toMailbox(from: unknown): string {
  const [first, second] = requireLines(from, 'from');
  if (second === undefined) return requireAddress(first, 'from');
  const words = encodeWords(first!);
  const name = words === first ? `"${first.replace(/[\\"]/g, '\\$&')}"` : words;
  return `${name} <${requireAddress(second, 'from')}>`;
}

/** @throws MAIL_FILTER-0025, 0001 */
const requireHeader = (value: unknown): string => requireHeaders([requireLine(value, 'name')], 'name')[0]!;

const WRITERS: Readonly<Record<string, Writer>> = {
  keep: () => make('keep'),
  discard: () => make('discard'),
  stop: () => make('stop'),
  redirect: (fields, rules) => make('redirect', ...copyTag(fields), text(requireReceiver(fields.to, 'to', rules))),
  move,
  fileinto: move,
  reject: (fields) => make('reject', text(requireText(fields.text, 'text').replace(/\r?\n|\r/g, '\r\n'))),
  vacation,
  addflags: withFlags('addflag'),
  setflags: withFlags('setflag'),
  removeflags: withFlags('removeflag'),
  notify,
  enotify: notify,
  pgp: (fields) => make('pgp_encrypt', tag('keys'), list(requireLines(fields.keys, 'keys').map(String))),
  addheader: ({ name, value, last }) =>
    make(
      'addheader',
      ...(last === true || last === 'true' ? [tag('last')] : []),
      text(requireHeader(name)),
      text(requireLine(value, 'value')),
    ),
  deleteheader: ({ name, values }) =>
    make(
      'deleteheader',
      text(requireHeader(name)),
      ...(values === undefined || values === null ? [] : [list(requireLines(values, 'values'))]),
    ),
  set: ({ name, value }) => make('set', text(requireVariable(name)), text(requireText(value, 'value'))),
};

/** Name of a variable (RFC 5229, section 3). @throws MAIL_FILTER-0025, 0001 */
function requireVariable(value: unknown): string {
  const name = requireLine(value, 'name');
  if (!/^[a-z_]\w{0,31}$/i.test(name)) throw MailFilterErrors.badRule(`${name} is no variable`);
  return name;
}

/** Actions with the extension that each needs; empty: none. */
export const ACTION_EXTENSIONS: Readonly<Record<string, string>> = {
  keep: '',
  discard: '',
  stop: '',
  redirect: '',
  move: 'fileinto',
  reject: 'reject',
  vacation: 'vacation',
  addflags: 'imap4flags',
  setflags: 'imap4flags',
  removeflags: 'imap4flags',
  notify: 'enotify',
  pgp: 'vnd.dovecot.pgp-encrypt',
  addheader: 'editheader',
  deleteheader: 'editheader',
  set: 'variables',
};

/** Reads an action of a script. @throws Unreadable */
export function readAction(command: SieveCommand, generation: Generation): MailFilterPart {
  const reader = Object.hasOwn(READERS, command.name) ? READERS[command.name] : undefined;
  if (!reader || command.block || command.tests.length > 0)
    throw new Unreadable(`the command ${command.name} cannot be edited`);
  return reader(command, generation);
}

type Reader = (command: SieveCommand, generation: Generation) => MailFilterPart;

const readAlone: Reader = (command) => {
  requirePositional(readArguments(command), 0);
  return { id: command.name };
};

const readFlags =
  (id: string): Reader =>
  (command) => ({ id, flags: stringsOf(requirePositional(readArguments(command), 1)[0]) });

const READERS: Readonly<Record<string, Reader>> = {
  keep: readAlone,
  discard: readAlone,
  stop: readAlone,
  redirect: (command) => {
    const read = readArguments(command, ['copy']);
    return { id: 'redirect', to: stringOf(requirePositional(read, 1)[0]), copy: read.tags.has('copy') };
  },
  fileinto: (command) => {
    const read = readArguments(command, ['copy']);
    return { id: 'move', into: `default0/${stringOf(requirePositional(read, 1)[0])}`, copy: read.tags.has('copy') };
  },
  reject: (command) => ({ id: 'reject', text: stringOf(requirePositional(readArguments(command), 1)[0]) }),
  vacation: (command, generation) => {
    const read = readArguments(command, ['days:', 'addresses:', 'subject:', 'from:']);
    const [answer] = requirePositional(read, 1);
    const { values } = read;
    const days = values.get('days');
    if (days && days.kind !== 'number') throw new Unreadable('days is no number');
    return {
      id: 'vacation',
      ...(days ? { days: generation === 'v1' ? String(days.value) : days.value } : {}),
      ...(values.has('addresses') ? { addresses: stringsOf(values.get('addresses')) } : {}),
      ...(values.has('subject') ? { subject: decodeWords(stringOf(values.get('subject'))) } : {}),
      ...(values.has('from') ? { from: readMailbox(stringOf(values.get('from'))) } : {}),
      text: stringOf(answer),
    };
  },
  addflag: readFlags('addflags'),
  setflag: readFlags('setflags'),
  removeflag: readFlags('removeflags'),
  notify: (command) => {
    const { values, positional } = readArguments(command, ['message:']);
    if (positional.length !== 1) throw new Unreadable('it has other arguments than known');
    return {
      id: 'notify',
      ...(values.has('message') ? { message: stringOf(values.get('message')) } : {}),
      method: stringOf(positional[0]),
    };
  },
  pgp_encrypt: (command) => ({
    id: 'pgp',
    keys: stringsOf(readArguments(command, ['keys:']).values.get('keys')),
  }),
  set: (command) => {
    const [name, value] = requirePositional(readArguments(command), 2);
    return { id: 'set', name: stringOf(name), value: stringOf(value) };
  },
  addheader: (command) => {
    const read = readArguments(command, ['last']);
    const [name, value] = requirePositional(read, 2);
    return { id: 'addheader', name: stringOf(name), value: stringOf(value), last: read.tags.has('last') };
  },
  deleteheader: (command) => {
    const { positional } = readArguments(command);
    const [name, values] = positional;
    return { id: 'deleteheader', name: stringOf(name), ...(values ? { values: stringsOf(values) } : {}) };
  },
};

function readMailbox(from: string): string | readonly [string, string] {
  const pair = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^"<>]*))<([^<>]+)>$/.exec(from.trim());
  if (!pair) return from;
  return [decodeWords((pair[1] ?? pair[2]?.trim() ?? '').replace(/\\(.)/g, '$1')), pair[3]!];
}
