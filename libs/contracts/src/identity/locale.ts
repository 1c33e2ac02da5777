import { RequestErrors } from '../edge/edge.errors';
import { DirectoryErrors } from './identity.errors';

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
const REGIONS = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** Language and region of a tag; undefined for one that is no locale of a language and a region that there are. */
function parseLocale(text: string): { readonly language: string; readonly region?: string } | undefined {
  const match = /^([a-zA-Z]{2,3})(?:[_-]([a-zA-Z]{2}|\d{3}))?$/.exec(text.trim());
  if (!match) return undefined;
  const language = match[1]!.toLowerCase();
  const region = match[2]?.toUpperCase();
  if (LANGUAGES.of(language) === undefined) return undefined;
  if (region === undefined) return { language };
  return REGIONS.of(region) === undefined ? undefined : { language, region };
}

/** A locale in the form `en_US`. @throws USR-0023 also for a language or region that there is not */
export function normalizeLocale(text: string): string {
  const locale = parseLocale(text);
  if (!locale) throw DirectoryErrors.notALocale(text);
  return locale.region ? `${locale.language}_${locale.region}` : locale.language;
}

/** Finds the locale of a tag in the form `en_US`, where a bare language has the region that most speak it in; undefined for none. */
export function findLocale(text: string): string | undefined {
  const locale = parseLocale(text);
  const region = locale && (locale.region ?? new Intl.Locale(locale.language).maximize().region);
  return region ? `${locale.language}_${region}` : locale?.language;
}

/** Whether a text is an IANA name of a time zone. */
function isTimeZone(text: string): boolean {
  try {
    // Validates only: links such as Europe/Kiev keep their name.
    new Intl.DateTimeFormat('en', { timeZone: text });
  } catch {
    return false;
  }
  return !/^[+-]/.test(text);
}

/** An IANA name of a time zone. @throws USR-0024 */
export function normalizeTimeZone(text: string): string {
  if (!isTimeZone(text)) throw DirectoryErrors.notATimeZone(text);
  return text;
}

/** The name of the zone of a request: the parameter, else that of the user. @throws SVL-0010 for an unknown parameter */
export function resolveRequestZone(parameter: string | undefined, userZone: string): string {
  if (!parameter) return userZone;
  if (!isTimeZone(parameter)) throw RequestErrors.badParameter('timezone', parameter);
  return parameter;
}
