import type { BusyType } from '@groupware/contracts';

/** A stretch of one type, ms UTC; the end is exclusive. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
  readonly type: BusyType;
}

/** Types by the number in which appointments store how they are shown. */
const TYPE_OF_SHOWN_AS: Readonly<Record<number, BusyType>> = {
  1: 'BUSY',
  2: 'BUSY-TENTATIVE',
  3: 'BUSY-UNAVAILABLE',
  4: 'FREE',
};

/** The type of a time that is shown as 1 reserved, 2 temporary, 3 absent or 4 free. */
export const busyTypeOf = (shownAs: number): BusyType => TYPE_OF_SHOWN_AS[shownAs] ?? 'BUSY';

/** The number under which older clients know a type. */
export const shownAsOf = (type: BusyType): number =>
  Number(Object.keys(TYPE_OF_SHOWN_AS).find((key) => TYPE_OF_SHOWN_AS[Number(key)] === type));

/** Order by start and end. */
export const byTime = (left: Period, right: Period): number => left.startMs - right.startMs || left.endMs - right.endMs;

/** Periods of a flat list of start (ms after an instant), length (ms) and shown_as, in its order. */
export function periodsOf(flat: readonly number[], fromMs: number): Period[] {
  const periods: Period[] = [];
  for (let index = 0; index < flat.length; index += 3) {
    const startMs = fromMs + flat[index]!;
    periods.push({ startMs, endMs: startMs + flat[index + 1]!, type: busyTypeOf(flat[index + 2]!) });
  }
  return periods;
}
