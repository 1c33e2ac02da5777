const DAY_MS = 86_400_000;

/** Start and end of something, ms UTC, and the zone in which they are told; whole days are those of UTC. */
interface Period {
  readonly startMs?: number;
  readonly endMs?: number;
  readonly timeZone?: string;
  readonly wholeDays?: boolean;
}

/** A period on the clock of its zone, as the locale writes it; whole days without a clock. */
export function formatPeriod({ startMs = 0, endMs = startMs, timeZone, wholeDays }: Period, locale: string): string {
  const format = (options: Intl.DateTimeFormatOptions, zone: string): string => {
    // The last of whole days is named, not the one after it.
    const last = wholeDays ? Math.max(startMs, endMs - DAY_MS) : endMs;
    for (const language of [locale.replaceAll('_', '-'), 'en']) {
      try {
        return new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).formatRange(startMs, last);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    return format(options, 'UTC');
  };
  if (wholeDays) return format({ dateStyle: 'full' }, 'UTC');
  const text = format({ dateStyle: 'full', timeStyle: 'short' }, timeZone ?? 'UTC');
  return timeZone === undefined ? text : `${text} (${timeZone})`;
}
