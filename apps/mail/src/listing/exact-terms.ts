import { atom, uidSet, type ImapSession, type ImapToken } from '@groupware/mail-access';
import { filenameOf, fromBodyStructure, type MessagePart } from '@groupware/mail-content';
import { pauseAfterTurn } from '@groupware/service-kit';
import {
  compileDate,
  compileRoughly,
  DAY_MS,
  NO_MAILS,
  type ComparisonCompiler,
  type DateComparison,
  type FileNameComparison,
  type RoughComparison,
} from '../domain/search-term';

/** So many mails of the days around a time are compared one by one; where there are more, the day decides. */
const MAX_COMPARED = 2_000;
/** Mails whose files are looked at, the newest: servers take commands of 64 KB, which may name all of them. */
const MAX_STRUCTURES = 5_000;
/** Mails whose structures are in memory at once. */
const BLOCK = 500;

/**
 * Compiles a term exactly where servers compare roughly or not at all: dates to the second, of which IMAP compares days in the zone of the
 * server (RFC 3501, section 6.4.4), and names of files.
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
  for (const [key, comparison] of comparisons)
    if (comparison.kind === 'FILE') names.set(key, comparison);
    else resolved.set(key, await resolveDate(session, comparison));
  if (names.size > 0) for (const [key, found] of await findFiles(session, names)) resolved.set(key, found);
  return compile((comparison) => resolved.get(keyOf(comparison)) ?? compileRoughly(comparison));
}

/** The mails of the days around the time are told apart by their own dates. */
async function resolveDate(session: ImapSession, comparison: DateComparison): Promise<readonly ImapToken[]> {
  const { kind, compare, ms } = comparison;
  const day = (shift: number, operator: '>' | '<') => compileDate({ kind, compare: operator, ms: ms + shift * DAY_MS });
  // From the day before up to the day after, whatever the zone.
  const around = await session.listUids([...day(-1, '>'), ...day(1, '<')]);
  if (around.length > MAX_COMPARED) return compileDate(comparison);
  const mails = await session.fetch(around, kind === 'SENT' ? { envelope: true } : { internalDate: true });
  const isFound = COMPARES[compare];
  const found = mails.flatMap(({ uid, envelope, internalDate }) => {
    const date = new Date((kind === 'SENT' ? envelope?.date : internalDate) ?? NaN).getTime();
    return isFound(date, ms) ? [uid] : [];
  });
  const sure = compare.startsWith('>') ? day(2, '>') : day(-2, '<');
  return found.length === 0 ? sure : [atom('OR'), sure, [atom('UID'), uidSet(found)]];
}

const COMPARES: Readonly<Record<DateComparison['compare'], (date: number, ms: number) => boolean>> = {
  '>': (date, ms) => date > ms,
  '>=': (date, ms) => date >= ms,
  '<': (date, ms) => date < ms,
  '<=': (date, ms) => date <= ms,
};

/** The mails with files of these names, by the structures of mails. */
async function findFiles(
  session: ImapSession,
  comparisons: ReadonlyMap<string, FileNameComparison>,
): Promise<Map<string, readonly ImapToken[]>> {
  const wanted = [...comparisons].map(([key, { name }]) => ({ key, name: toComparable(name), uids: [] as number[] }));
  const uids = (await session.listUids([atom('ALL')])).slice(-MAX_STRUCTURES);
  for (let index = 0; index < uids.length; index += BLOCK)
    for (const { uid, bodyStructure } of await session.fetch(uids.slice(index, index + BLOCK), {
      bodyStructure: true,
    })) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const names = bodyStructure ? listFileNames(fromBodyStructure(bodyStructure)) : [];
      for (const each of wanted) if (names.some((name) => name.includes(each.name))) each.uids.push(uid);
    }
  return new Map(
    wanted.map(({ key, uids: found }) => [key, found.length === 0 ? NO_MAILS : [atom('UID'), uidSet(found)]]),
  );
}

const listFileNames = (part: MessagePart): string[] => [
  ...(part.filename === undefined ? [] : [toComparable(filenameOf(part))]),
  ...part.children.flatMap(listFileNames),
];

const toComparable = (name: string): string => name.normalize('NFC').toLowerCase();

const keyOf = (comparison: RoughComparison): string => JSON.stringify(comparison);
