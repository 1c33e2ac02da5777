import { pauseAfterTurn } from '@groupware/service-kit';

/** Names of time zones by their ids. */
export type TimeZoneNames = Readonly<Record<string, string>>;

/** Most languages whose names are kept. */
const MAX_LANGUAGES = 20;

const byLanguage = new Map<string, Promise<TimeZoneNames>>();

/** All time zones with their names in a language, such as `Central European Time (Berlin)`. */
export function listTimeZones(locale: string): Promise<TimeZoneNames> {
  const language = locale.replace('_', '-');
  const known = byLanguage.get(language);
  if (known) return known;
  if (byLanguage.size >= MAX_LANGUAGES) byLanguage.clear();
  const names = describeZones(language);
  byLanguage.set(language, names);
  return names;
}

async function describeZones(language: string): Promise<TimeZoneNames> {
  const names: Record<string, string> = {};
  for (const id of Intl.supportedValuesOf('timeZone')) {
    // Each name costs a formatter of its own.
    const turn = pauseAfterTurn();
    if (turn) await turn;
    names[id] = describeZone(id, language);
  }
  return names;
}

function describeZone(id: string, language: string): string {
  const city = id.split('/').at(-1)!.replaceAll('_', ' ');
  const name = new Intl.DateTimeFormat(language, { timeZone: id, timeZoneName: 'longGeneric' })
    .formatToParts(0)
    .find(({ type }) => type === 'timeZoneName')!.value;
  return `${name} (${city})`;
}
