import { atom, uidSet, type ImapSession, type ImapToken } from '@groupware/mail-access';
import { compileDate, DAY_MS, type DateComparison, type DateCompiler } from '../domain/search-term';

/** So many mails of the days around a time are compared one by one; where there are more, the day decides. */
const MAX_COMPARED = 2_000;

/**
 * Compiles comparisons with dates to the second: IMAP compares days, in the zone of the server (RFC 3501, section 6.4.4), so the mails of the
 * days around the time are told apart by their own dates.
 */
export async function resolveDates(
  session: ImapSession,
  comparisons: readonly DateComparison[],
): Promise<DateCompiler> {
  const resolved = new Map<string, readonly ImapToken[]>();
  for (const comparison of comparisons) {
    const key = keyOf(comparison);
    if (!resolved.has(key)) resolved.set(key, await resolveDate(session, comparison));
  }
  return (comparison) => resolved.get(keyOf(comparison)) ?? compileDate(comparison);
}

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

const keyOf = ({ kind, compare, ms }: DateComparison): string => `${kind} ${compare} ${ms}`;
