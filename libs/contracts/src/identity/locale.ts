import { DirectoryErrors } from './identity.errors';

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
const REGIONS = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** A locale in the form `en_US`. @throws USR-0023 also for a language or region that there is not */
export function normalizeLocale(text: string): string {
  const match = /^([a-zA-Z]{2,3})(?:[_-]([a-zA-Z]{2}|\d{3}))?$/.exec(text.trim());
  if (!match) throw DirectoryErrors.notALocale(text);
  const language = match[1]!.toLowerCase();
  const region = match[2]?.toUpperCase();
  const isKnown = LANGUAGES.of(language) !== undefined && (region === undefined || REGIONS.of(region) !== undefined);
  if (!isKnown) throw DirectoryErrors.notALocale(text);
  return region ? `${language}_${region}` : language;
}

/** An IANA name of a time zone. @throws USR-0024 */
export function normalizeTimeZone(text: string): string {
  try {
    // Validates only: links such as Europe/Kiev keep their name.
    new Intl.DateTimeFormat('en', { timeZone: text });
  } catch {
    throw DirectoryErrors.notATimeZone(text);
  }
  if (/^[+-]/.test(text)) throw DirectoryErrors.notATimeZone(text);
  return text;
}
