import { domainToASCII } from 'node:url';
import { MAIL_FLAGS, MailErrors, type FindRange } from '@groupware/contracts';
import { atom, text, type ImapToken } from '@groupware/mail-access';
import { COLOR_KEYWORDS, listServerFlags, toColorKeyword } from './mail-flags';

/** Bounds of a search. */
export interface SearchLimits {
  /** Fewest characters of a pattern. */
  readonly minCharacters: number;
}

/** Deepest nesting and most parts of a term. */
const MAX_DEPTH = 50;
const MAX_PARTS = 500;
/** Most bytes of all patterns and names of headers of a term: servers take commands of 64 KB, where some of them stand twice. */
const MAX_TEXT_BYTES = 20_000;
const ALL: readonly ImapToken[] = [atom('ALL')];
/** Criteria that no mail matches. */
export const NO_MAILS: readonly ImapToken[] = [atom('NOT'), ALL];

/** Columns of the older form, as fields. */
const FIELD_OF_COLUMN: Readonly<Record<string, string>> = {
  '603': 'from',
  '604': 'to',
  '605': 'cc',
  '606': 'bcc',
  '607': 'subject',
  '608': 'size',
  '609': 'sent_date',
  '610': 'received_date',
  '611': 'flags',
  '612': 'level',
  '613': 'disp_notification_to',
  '614': 'priority',
  '102': 'color_label',
  '656': 'content_type',
};

/** A comparison with a date of a mail: when it was received, or what it says of when it was sent. */
export interface DateComparison {
  readonly kind: '' | 'SENT';
  readonly compare: '<' | '<=' | '>' | '>=';
  /** ms UTC. */
  readonly ms: number;
}

/** A comparison with the names of the files of a mail. */
export interface FileNameComparison {
  readonly kind: 'FILE';
  /** Part of the name, with wild cards as in patterns. */
  readonly name: string;
}

/** A comparison with the text of a header, or of the mail. */
export interface TextComparison {
  readonly kind: 'TEXT';
  /** Key of a search. */
  readonly key: 'FROM' | 'TO' | 'CC' | 'BCC' | 'SUBJECT' | 'HEADER' | 'BODY' | 'TEXT';
  /** Header that is searched; undefined where it is the text. */
  readonly header?: string;
  /** Text with wild cards between its parts: `*` for any characters, `?` for one. */
  readonly pattern: string;
}

/** A comparison that servers make roughly, or not at all. */
export type RoughComparison = DateComparison | FileNameComparison | TextComparison;

/** Compiles a comparison that servers make roughly, or not at all. */
export type ComparisonCompiler = (comparison: RoughComparison) => readonly ImapToken[];

/** Fields of flags, by the key of a search for those that have it. */
const FLAG_FIELDS: Readonly<Record<string, readonly string[]>> = {
  answered: ['ANSWERED'],
  draft: ['DRAFT'],
  flagged: ['FLAGGED'],
  seen: ['SEEN'],
  deleted: ['DELETED'],
  forwarded: ['KEYWORD', '$Forwarded'],
};

const HEADERS: Readonly<Record<string, string>> = {
  content_type: 'Content-Type',
  disp: 'Content-Disposition',
  cid: 'Content-ID',
  disp_notification_to: 'Disposition-Notification-To',
};
const SIMPLE: Readonly<Record<string, Pick<TextComparison, 'key' | 'header'>>> = {
  from: { key: 'FROM', header: 'From' },
  to: { key: 'TO', header: 'To' },
  cc: { key: 'CC', header: 'Cc' },
  bcc: { key: 'BCC', header: 'Bcc' },
  subject: { key: 'SUBJECT', header: 'Subject' },
  content: { key: 'BODY' },
  body: { key: 'BODY' },
  text: { key: 'TEXT' },
};

/**
 * Compiles the term of a search into a sequence of criteria of IMAP (RFC 3501, section 6.4.4). Fields that it does not know match all mails:
 * clients of newer versions send some.
 * @throws MSG-0003 for what is no term, MSG-0068 for patterns that are too short
 */
export function compileTerm(
  term: unknown,
  limits: SearchLimits,
  compileExactly: ComparisonCompiler = compileRoughly,
): readonly ImapToken[] {
  let parts = 0;
  let bytes = 0;
  const compile = (node: unknown, depth: number): readonly ImapToken[] => {
    parts += 1;
    if (depth > MAX_DEPTH || parts > MAX_PARTS) throw MailErrors.badSearch('the term is too large');
    if (!Array.isArray(node) || typeof node[0] !== 'string') throw MailErrors.badSearch('a term is a list');
    const [operator, ...operands] = node as [string, ...unknown[]];
    switch (operator.toLowerCase()) {
      case 'and':
        return operands.length === 0 ? ALL : operands.flatMap((operand) => compile(operand, depth + 1));
      case 'or':
        return operands.length === 0 ? ALL : operands.map((operand) => compile(operand, depth + 1)).reduceRight(orOf);
      case 'not':
        if (operands.length !== 1) throw MailErrors.badSearch('not has one operand');
        return [atom('NOT'), compile(operands[0], depth + 1)];
      default:
        bytes += operands.reduce<number>((sum, operand) => sum + countTextBytes(operand), 0);
        if (bytes > MAX_TEXT_BYTES) throw MailErrors.badSearch(`the patterns have more than ${MAX_TEXT_BYTES} bytes`);
        return compileComparison(operator, operands, limits, compileExactly);
    }
  };
  return compile(term, 0);
}

/** Compiles the older form: `[{"col": 607, "pattern": "x"}, …]`, one of which must match; undefined for an empty list. */
export function compilePatterns(
  body: unknown,
  limits: SearchLimits,
  compileExactly: ComparisonCompiler = compileRoughly,
): readonly ImapToken[] | undefined {
  if (!Array.isArray(body)) throw MailErrors.badSearch('the body is neither a term nor a list of patterns');
  if (body.length === 0) return undefined;
  const terms = body.map((each: unknown) => {
    const { col, pattern } = (each ?? {}) as { col?: unknown; pattern?: unknown };
    const field = typeof col === 'number' || typeof col === 'string' ? FIELD_OF_COLUMN[String(col)] : undefined;
    if (field === undefined) throw MailErrors.badSearch('col is no column that can be searched');
    return ['=', { field }, pattern];
  });
  return compileTerm(['or', ...terms], limits, compileExactly);
}

/** Bytes of an operand that servers are told. */
const countTextBytes = (operand: unknown): number => {
  const told = isOperand(operand) ? operand.header : operand;
  return typeof told === 'string' ? Buffer.byteLength(told) : 0;
};

/** Criteria of mails that meet one of two. */
export const orOf = (right: readonly ImapToken[], left: readonly ImapToken[]): readonly ImapToken[] => [
  atom('OR'),
  left,
  right,
];
/** Criteria of mails that do not meet some. */
export const not = (criteria: readonly ImapToken[]): readonly ImapToken[] => [atom('NOT'), criteria];

interface Operand {
  readonly field?: string;
  readonly header?: string;
  readonly attachment?: string;
}

const isOperand = (value: unknown): value is Operand =>
  typeof value === 'object' && value !== null && ['field', 'header', 'attachment'].some((key) => key in value);

/** Comparisons with the operands exchanged. */
const SWAPPED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

function compileComparison(
  operator: string,
  operands: readonly unknown[],
  limits: SearchLimits,
  compileExactly: ComparisonCompiler,
): readonly ImapToken[] {
  const isSwapped = !isOperand(operands[0]);
  const [operand, constant] = isSwapped ? [operands[1], operands[0]] : operands;
  const compare = isSwapped ? (SWAPPED[operator] ?? operator) : operator;
  if (operands.length !== 2 || !isOperand(operand) || isOperand(constant))
    throw MailErrors.badSearch('a comparison needs a field and a constant');
  if (!['=', '<', '>', '<=', '>=', '<>'].includes(compare)) throw MailErrors.badSearch(`unknown operator ${compare}`);
  if (typeof constant !== 'string' && typeof constant !== 'number' && typeof constant !== 'boolean')
    throw MailErrors.badSearch('a constant is a text, a number or a boolean');
  if (compare === '<>') return not(compileField(operand, '=', constant, limits, compileExactly));
  return compileField(operand, compare, constant, limits, compileExactly);
}

function compileField(
  { field, header, attachment }: Operand,
  compare: string,
  constant: string | number | boolean,
  limits: SearchLimits,
  compileExactly: ComparisonCompiler,
): readonly ImapToken[] {
  const name = typeof field === 'string' ? field.toLowerCase() : '';
  if (Object.hasOwn(FLAG_FIELDS, name)) return compileFlag(FLAG_FIELDS[name]!, constant);
  const number = Number(constant);
  if (['size', 'sent_date', 'received_date', 'date', 'flags', 'color_label'].includes(name)) {
    if (!Number.isFinite(number)) throw MailErrors.badSearch(`${name} needs a number`);
    if (name === 'size') return compileSize(compare, Math.trunc(number));
    if (name === 'flags') return compileFlags(number);
    if (name === 'color_label') return compileColor(number);
    const kind = name === 'sent_date' ? 'SENT' : '';
    if (compare === '=') return [atom(`${kind}ON`), dayOf(number)];
    return compileExactly({ kind, compare: compare as DateComparison['compare'], ms: number });
  }
  if (attachment !== undefined) return compileFileName(String(attachment), constant, limits, compileExactly);
  const pattern = toPattern(String(constant), limits);
  if (pattern === undefined) return ALL;
  const searchHeader = (named: string) =>
    // A header name is printable ASCII without a colon (RFC 5322, section 2.2); another one matches nothing.
    /^[!-9;-~]{1,200}$/.test(named)
      ? compileExactly({ kind: 'TEXT', key: 'HEADER', header: named, pattern })
      : NO_MAILS;
  if (header !== undefined) return searchHeader(header);
  if (Object.hasOwn(SIMPLE, name)) return compileExactly({ kind: 'TEXT', ...SIMPLE[name]!, pattern });
  if (Object.hasOwn(HEADERS, name)) return searchHeader(HEADERS[name]!);
  if (name === 'priority') return [atom('OR'), searchHeader('Importance'), searchHeader('X-Priority')];
  return ALL;
}

/** Words that stand for the name of a file, which is the constant then; any other one is the name itself. */
const FILE_NAME = /^(?:file)?name$/i;

/** Mails with a file of a name; without one where the operand names it and the constant is false. */
function compileFileName(
  attachment: string,
  constant: string | number | boolean,
  limits: SearchLimits,
  compileExactly: ComparisonCompiler,
): readonly ImapToken[] {
  const isConstant = FILE_NAME.test(attachment);
  const name = toPattern(isConstant ? String(constant) : attachment, limits);
  const found = name === undefined ? ALL : compileExactly({ kind: 'FILE', name });
  return !isConstant && /^(?:false|0)$/i.test(String(constant)) ? not(found) : found;
}

const ADDRESS_KEYS: ReadonlySet<string> = new Set(['FROM', 'TO', 'CC', 'BCC']);

/** Criteria of mails that have a text where a comparison looks; addresses have the ASCII form of domains shown in Unicode (RFC 5891). */
export function compileText({ key, header }: TextComparison, found: string): readonly ImapToken[] {
  const compile = (each: string): readonly ImapToken[] =>
    key === 'HEADER' ? [atom(key), text(header ?? ''), text(each)] : [atom(key), text(each)];
  if (!ADDRESS_KEYS.has(key)) return compile(found);
  const at = found.lastIndexOf('@') + 1;
  const domain = found.slice(at);
  const ascii = /[\u0080-\uffff]/.test(domain) ? domainToASCII(domain) : '';
  return ascii ? orOf(compile(found.slice(0, at) + ascii), compile(found)) : compile(found);
}

/** The longest part of a pattern between its wild cards, which IMAP does not know. */
export const findLongestPart = (pattern: string, between = /[*?]+/): string =>
  pattern.split(between).reduce((longest, part) => (part.length > longest.length ? part : longest), '');

/** Mails with a flag, or without it. @throws MSG-0003 */
function compileFlag(key: readonly string[], constant: string | number | boolean): readonly ImapToken[] {
  const has: readonly ImapToken[] = key.map(atom);
  switch (String(constant).toLowerCase()) {
    case 'true':
    case '1':
      return has;
    case 'false':
    case '0':
      return not(has);
    default:
      throw MailErrors.badSearch('a flag is true or false');
  }
}

/** Wild cards at the ends mean nothing, as patterns are found anywhere; undefined for what matches all. */
function toPattern(constant: string, { minCharacters }: SearchLimits): string | undefined {
  const pattern = constant.replace(/^[*?]+|(?<![*?])[*?]+$/g, '');
  if (pattern === '') return undefined;
  if (pattern.replace(/[*?]/g, '').length < minCharacters) throw MailErrors.patternTooShort(minCharacters);
  return pattern;
}

function compileSize(compare: string, bytes: number): readonly ImapToken[] {
  const larger = (than: number): readonly ImapToken[] =>
    than < 0 ? ALL : [atom('LARGER'), atom(String(Math.min(than, 2 ** 32 - 1)))];
  switch (compare) {
    case '>':
      return larger(bytes);
    case '>=':
      return larger(bytes - 1);
    case '<':
      return not(larger(bytes - 1));
    case '<=':
      return not(larger(bytes));
    default:
      return [...larger(bytes - 1), ...not(larger(bytes))];
  }
}

/** Mails that have all of some bits; none where a bit is of no flag. */
function compileFlags(bits: number): readonly ImapToken[] {
  // Whether a mail may have labels is a fact of its folder.
  let left = Math.trunc(bits) & ~MAIL_FLAGS.userFlags;
  if (left === 0) return ALL;
  const criteria: ImapToken[] = [];
  for (let bit = 1; left !== 0; bit *= 2) {
    if ((left & bit) === 0) continue;
    left &= ~bit;
    const flags = listServerFlags(bit);
    if (flags.length === 0) return NO_MAILS;
    criteria.push(...flags.map(compileServerFlag).reduceRight(orOf));
  }
  return criteria;
}

const compileServerFlag = (flag: string): readonly ImapToken[] =>
  flag.startsWith('\\') ? [atom(flag.slice(1).toUpperCase())] : [atom('KEYWORD'), atom(flag)];

function compileColor(color: number): readonly ImapToken[] {
  if (COLOR_KEYWORDS.includes(toColorKeyword(color))) return [atom('KEYWORD'), atom(toColorKeyword(color))];
  return COLOR_KEYWORDS.flatMap((keyword) => [atom('UNKEYWORD'), atom(keyword)]);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const DAY_MS = 86_400_000;

const dayOf = (ms: number): ImapToken => {
  const date = new Date(Math.min(Math.max(ms, 0), 253_402_300_799_999));
  return atom(`${date.getUTCDate()}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`);
};

/** Criteria of mails that came before the day of a time. */
export const receivedBefore = (ms: number): readonly ImapToken[] => [atom('BEFORE'), dayOf(ms)];

/** IMAP compares days, in the zone of the server (RFC 3501, section 6.4.4): the day of the constant is part of each range. */
export function compileDate({ kind, compare, ms }: DateComparison): readonly ImapToken[] {
  return compare.startsWith('>') ? [atom(`${kind}SINCE`), dayOf(ms)] : [atom(`${kind}BEFORE`), dayOf(ms + DAY_MS)];
}

/** Criteria of all mails that may meet a comparison: of those that servers can tell by. */
export const compileRoughly: ComparisonCompiler = (comparison) => {
  if (comparison.kind === 'FILE') return ALL;
  return comparison.kind === 'TEXT'
    ? compileText(comparison, findLongestPart(comparison.pattern))
    : compileDate(comparison);
};

/** Largest interval that servers know, s. */
const MAX_INTERVAL = 2 ** 31 - 1;

/**
 * Criteria of mails that were received, or by their own account sent, within a range: to the second where the server compares
 * with its clock (WITHIN, RFC 5032), else by days.
 */
export function compileRange(
  { from, to }: FindRange,
  kind: 'received' | 'sent',
  { now, hasWithin }: { readonly now: number; readonly hasWithin: boolean },
): readonly ImapToken[] {
  const intervalOf = (ms: number): number | undefined => {
    const seconds = Math.ceil((now - ms) / 1000);
    return kind === 'received' && hasWithin && seconds > 0 && seconds <= MAX_INTERVAL ? seconds : undefined;
  };
  const compile = (key: 'YOUNGER' | 'OLDER', compare: '>=' | '<=', ms: number): readonly ImapToken[] => {
    const seconds = intervalOf(ms);
    if (seconds !== undefined) return [atom(key), atom(String(seconds))];
    return compileDate({ kind: kind === 'sent' ? 'SENT' : '', compare, ms });
  };
  return [
    ...(from === undefined ? [] : compile('YOUNGER', '>=', from)),
    ...(to === undefined ? [] : compile('OLDER', '<=', to)),
  ];
}
