import { atom, uidSet, type ImapSession, type ImapToken } from '@groupware/mail-access';
import { decodePartText, filenameOf, fromBodyStructure, MailHeaders, type MessagePart } from '@groupware/mail-content';
import { pauseAfterTurn } from '@groupware/service-kit';
import {
  compileDate,
  compileRoughly,
  compileText,
  DAY_MS,
  findLongestPart,
  NO_MAILS,
  not,
  orOf,
  type ComparisonCompiler,
  type DateComparison,
  type FileNameComparison,
  type RoughComparison,
  type TextComparison,
} from '../domain/search-term';
import { createPatternTest, hasWildcards, MAX_PATTERN_LENGTH } from '../domain/text-pattern';
import { isHeaderName } from '../messages/mail-view';

/** So many mails of the days around a time are compared one by one; where there are more, the day decides. */
const MAX_COMPARED = 2_000;
/**
 * So many mails have their headers, and their texts, compared with the patterns of one term; where servers find more, the longest part
 * of a pattern decides, as it does for what lies behind the first bytes of a text.
 */
const MAX_HEADERS = 2_000;
const MAX_BODIES = 100;
const MAX_BODY_BYTES = 65_536;
/** Texts of one mail that are compared. */
const MAX_TEXTS = 10;
/** Mails whose files are looked at, the newest: servers take commands of 64 KB, which may name all of them. */
const MAX_STRUCTURES = 5_000;
/** Mails whose structures or headers are in memory at once. */
const BLOCK = 500;

/**
 * Compiles a term exactly where servers compare roughly or not at all: dates to the second, of which IMAP compares days in the zone of the
 * server (RFC 3501, section 6.4.4), names of files, wild cards, and headers whose bytes are in no charset that the server knows.
 */
export async function compileExactly<T>(session: ImapSession, compile: (each: ComparisonCompiler) => T): Promise<T> {
  const comparisons = new Map<string, RoughComparison>();
  const rough = compile((comparison) => {
    comparisons.set(keyOf(comparison), comparison);
    return compileRoughly(comparison);
  });
  if (comparisons.size === 0) return rough;
  const resolved = new Map<string, readonly ImapToken[]>();
  const names = new Map<string, FileNameComparison>();
  const left: ComparisonsLeft = { headers: MAX_HEADERS, bodies: MAX_BODIES };
  for (const [key, comparison] of comparisons)
    if (comparison.kind === 'FILE') names.set(key, comparison);
    else if (comparison.kind === 'TEXT') resolved.set(key, await resolveText(session, comparison, left));
    else resolved.set(key, await resolveDate(session, comparison));
  if (names.size > 0) for (const [key, found] of await findFiles(session, names)) resolved.set(key, found);
  return compile((comparison) => resolved.get(keyOf(comparison)) ?? compileRoughly(comparison));
}

/** Servers take mails that do not tell when they were sent for some of the first day of 1970. */
const UNDATED = compileDate({ kind: 'SENT', compare: '<', ms: DAY_MS });

/** The mails of the days around the time are told apart by their own dates. */
async function resolveDate(session: ImapSession, comparison: DateComparison): Promise<readonly ImapToken[]> {
  const { kind, compare, ms } = comparison;
  const day = (shift: number, operator: '>' | '<') => compileDate({ kind, compare: operator, ms: ms + shift * DAY_MS });
  const mayBeUndated = kind === 'SENT' && compare.startsWith('<');
  const dated = mayBeUndated ? not(UNDATED) : [];
  // From the day before up to the day after, whatever the zone.
  const days = [...day(-1, '>'), ...day(1, '<')];
  const around = await session.listUids(mayBeUndated ? orOf(UNDATED, days) : days);
  if (around.length > MAX_COMPARED) return [...compileDate(comparison), ...dated];
  const mails = await session.fetch(around, kind === 'SENT' ? { envelope: true } : { internalDate: true });
  const isFound = COMPARES[compare];
  const found = mails.flatMap(({ uid, envelope, internalDate }) => {
    const date = new Date((kind === 'SENT' ? envelope?.date : internalDate) ?? NaN).getTime();
    return isFound(date, ms) ? [uid] : [];
  });
  const sure = compare.startsWith('>') ? day(2, '>') : [...day(-2, '<'), ...dated];
  return found.length === 0 ? sure : orOf([atom('UID'), uidSet(found)], sure);
}

const COMPARES: Readonly<Record<DateComparison['compare'], (date: number, ms: number) => boolean>> = {
  '>': (date, ms) => date > ms,
  '>=': (date, ms) => date >= ms,
  '<': (date, ms) => date < ms,
  '<=': (date, ms) => date <= ms,
};

/** How many mails may still be compared with patterns. */
interface ComparisonsLeft {
  headers: number;
  bodies: number;
}

/** Servers find the longest part of a pattern, and no character beyond ASCII in a header that does not tell its charset. */
async function resolveText(
  session: ImapSession,
  comparison: TextComparison,
  left: ComparisonsLeft,
): Promise<readonly ImapToken[]> {
  const { header, pattern } = comparison;
  const rough = compileRoughly(comparison);
  const isPattern = hasWildcards(pattern);
  const misread = header !== undefined && /[^\0-\x7f]/.test(pattern) ? compileMisread(comparison) : undefined;
  const unsure = isPattern && misread ? orOf(misread, rough) : (misread ?? rough);
  const isComparable = pattern.length <= MAX_PATTERN_LENGTH && (header === undefined || isHeaderName(header));
  if (!isComparable || (!isPattern && !misread)) return rough;
  const candidates = await session.listUids(unsure);
  const place = header === undefined ? 'bodies' : 'headers';
  if (candidates.length > left[place]) return rough;
  left[place] -= candidates.length;
  const found = await (header === undefined ? findInBodies : findInHeaders)(session, comparison, candidates);
  if (found.length === 0) return isPattern ? NO_MAILS : rough;
  const matching = [atom('UID'), uidSet(found)];
  return isPattern ? matching : orOf(matching, rough);
}

/** Criteria of mails with a header that has bytes in no known charset, as which Dovecot finds U+FFFD, and the ASCII part of a pattern. */
function compileMisread(comparison: TextComparison): readonly ImapToken[] {
  const part = findLongestPart(comparison.pattern, /(?:[*?]|[^\0-\x7f])+/);
  return [...compileText(comparison, '\ufffd'), ...(part === '' ? [] : compileText(comparison, part))];
}

async function findInHeaders(
  session: ImapSession,
  { header = '', pattern }: TextComparison,
  uids: readonly number[],
): Promise<number[]> {
  const isFound = createPatternTest(pattern);
  return findInBlocks(uids, async (block) =>
    (await session.fetch(block, { headers: [header] })).flatMap((message) => {
      const headers = new MailHeaders(message.headers);
      const addresses = headers.getAddresses(header).map(([personal, address]) => `${personal ?? ''} <${address}>`);
      return [...headers.listTexts(header), ...addresses].some(isFound) ? [message.uid] : [];
    }),
  );
}

/** Mails with a text that holds the pattern, or may hold it where it is not read. */
async function findInBodies(
  session: ImapSession,
  { key, pattern }: TextComparison,
  uids: readonly number[],
): Promise<number[]> {
  const isFound = createPatternTest(pattern);
  return findInBlocks(uids, async (block) => {
    const found: number[] = [];
    for (const message of await session.fetch(block, { bodyStructure: true, headers: key === 'TEXT' })) {
      const texts = message.bodyStructure && listTexts(fromBodyStructure(message.bodyStructure));
      const isInHeader = key === 'TEXT' && new MailHeaders(message.headers).listAllTexts().some(isFound);
      const isUnread = !texts || texts.length > MAX_TEXTS || texts.some(({ size }) => size > MAX_BODY_BYTES);
      if (isInHeader || isUnread || (await readTexts(session, message.uid, texts)).some(isFound))
        found.push(message.uid);
    }
    return found;
  });
}

async function findInBlocks(
  uids: readonly number[],
  findIn: (block: readonly number[]) => Promise<readonly number[]>,
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < uids.length; index += BLOCK) {
    const turn = pauseAfterTurn();
    if (turn) await turn;
    found.push(...(await findIn(uids.slice(index, index + BLOCK))));
  }
  return found;
}

const listTexts = (part: MessagePart): MessagePart[] =>
  part.type.startsWith('text/') ? [part] : part.children.flatMap(listTexts);

async function readTexts(session: ImapSession, uid: number, parts: readonly MessagePart[]): Promise<string[]> {
  if (parts.length === 0) return [];
  const bodyParts = parts.map(({ id }) => ({ key: id, start: 0, maxLength: MAX_BODY_BYTES }));
  const [message] = await session.fetch([uid], { bodyParts });
  return Promise.all(parts.map((part) => decodePartText(part, message?.bodyParts?.get(part.id) ?? Buffer.alloc(0))));
}

/** The mails with files of these names, by the structures of mails. */
async function findFiles(
  session: ImapSession,
  comparisons: ReadonlyMap<string, FileNameComparison>,
): Promise<Map<string, readonly ImapToken[]>> {
  const wanted = [...comparisons].map(([key, { name }]) => ({
    ...{ key, uids: [] as number[] },
    isFound: createPatternTest(name),
  }));
  const uids = (await session.listUids([atom('ALL')])).slice(-MAX_STRUCTURES);
  for (let index = 0; index < uids.length; index += BLOCK)
    for (const { uid, bodyStructure } of await session.fetch(uids.slice(index, index + BLOCK), {
      bodyStructure: true,
    })) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const names = bodyStructure ? listFileNames(fromBodyStructure(bodyStructure)) : [];
      for (const each of wanted) if (names.some(each.isFound)) each.uids.push(uid);
    }
  return new Map(
    wanted.map(({ key, uids: found }) => [key, found.length === 0 ? NO_MAILS : [atom('UID'), uidSet(found)]]),
  );
}

const listFileNames = (part: MessagePart): string[] => [
  ...(part.filename === undefined ? [] : [filenameOf(part)]),
  ...part.children.flatMap(listFileNames),
];

const keyOf = (comparison: RoughComparison): string => JSON.stringify(comparison);
