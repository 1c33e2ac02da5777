import type { BusyType } from '@groupware/contracts';
import { pauseAfterTurn } from '@groupware/service-kit';

/** A period of one busy type, ms UTC; the end is exclusive. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
  readonly type: BusyType;
  /** Its appointment, where that was asked for. */
  readonly appointmentId?: number;
}

/** Busy types by `shown_as` of appointments. */
const TYPES_BY_SHOWN_AS: Readonly<Record<number, BusyType>> = {
  1: 'BUSY',
  2: 'BUSY-TENTATIVE',
  3: 'BUSY-UNAVAILABLE',
  4: 'FREE',
};

/** Converts `shown_as` (1 reserved, 2 temporary, 3 absent, 4 free) to a busy type. */
const toBusyType = (shownAs: number): BusyType => TYPES_BY_SHOWN_AS[shownAs] ?? 'BUSY';

/** Converts a busy type to `shown_as`. */
export const toShownAs = (type: BusyType): number =>
  Number(Object.keys(TYPES_BY_SHOWN_AS).find((key) => TYPES_BY_SHOWN_AS[Number(key)] === type));

/** Compares periods by start and end. */
export const compareByTime = (left: Period, right: Period): number =>
  left.startMs - right.startMs || left.endMs - right.endMs;

/** After so many periods others have their turn, if it is time. */
const PERIODS_AT_ONCE = 256;

/** Goes through periods of which there may be a hundred thousand; others have their turn meanwhile. */
export async function forEachPeriod(count: number, visit: (index: number) => void): Promise<void> {
  for (let index = 0; index < count; index++) {
    visit(index);
    const turn = index % PERIODS_AT_ONCE === PERIODS_AT_ONCE - 1 ? pauseAfterTurn() : undefined;
    if (turn) await turn;
  }
}

/** Converts a flat list of start (ms after an instant), length (ms), shown_as, and id of identified ones, to periods. */
export async function toPeriods(flat: readonly number[], fromMs: number, identified = false): Promise<Period[]> {
  const periods: Period[] = [];
  const size = identified ? 4 : 3;
  await forEachPeriod(flat.length / size, (index) => {
    const at = index * size;
    const startMs = fromMs + flat[at]!;
    const endMs = startMs + flat[at + 1]!;
    const type = toBusyType(flat[at + 2]!);
    periods.push(identified ? { startMs, endMs, type, appointmentId: flat[at + 3] } : { startMs, endMs, type });
  });
  return periods;
}
