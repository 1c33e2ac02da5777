import { DirectoryErrors } from '@groupware/contracts';

/** A locale in the form `en_US`. @throws USR-0023 */
export function normalizeLocale(text: string): string {
  const match = /^([a-zA-Z]{2,3})(?:[_-]([a-zA-Z]{2}|\d{3}))?$/.exec(text.trim());
  if (!match) throw DirectoryErrors.notALocale(text);
  const language = match[1]!.toLowerCase();
  return match[2] ? `${language}_${match[2].toUpperCase()}` : language;
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
