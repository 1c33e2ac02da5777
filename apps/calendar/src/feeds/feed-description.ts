import type { CalendarProperties } from '@groupware/icalendar';

/** The provider of the calendars of birthdays. */
export const BIRTHDAYS_PROVIDER = 'birthdays';

/** The provider of calendars of the web. */
export const FEED_PROVIDER = 'ical';

const MINUTE_MS = 60_000;

/** An interval in minutes, at least one. */
export const toFeedMinutes = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.max(1, Math.round(ms / MINUTE_MS));

/** Describes a calendar by its own properties, as properties of its folder. */
export function describeFeed({ description, color }: CalendarProperties): Record<string, unknown> {
  // Six digits of red, green and blue, followed by an opacity that calendars have not; or the name of a colour.
  const shown = /^(#[0-9a-f]{6})(?:[0-9a-f]{2})?$/i.exec(color ?? '')?.[1] ?? /^[a-z]{3,20}$/i.exec(color ?? '')?.[0];
  return {
    ...(description && { description: { value: description } }),
    ...(shown && { color: { value: shown } }),
  };
}
