import { formatMessage, type ErrorEntry } from '../kit';
import de from '../locales/de.json';

/** Texts of one language: by error key (`PREFIX.name`), and `generic` for errors whose detail is not for users. */
export type Translation = Readonly<Record<string, string>>;

const translations = new Map<string, Translation>([['de', de as Translation]]);

/** Generic English text of errors that the user can't act upon. */
export const GENERIC_TEXT = 'An error occurred inside the server which prevented it from fulfilling the request.';

/** Adds a language from a file, or replaces one. The key is a locale (`fr_CA`) or a language (`fr`). */
export function addTranslation(locale: string, texts: Translation): void {
  translations.set(locale, texts);
}

function lookUp(locale: string, key: string): string | undefined {
  const language = locale.replace('-', '_');
  return translations.get(language)?.[key] ?? translations.get(language.split('_')[0] ?? '')?.[key];
}

/** The text for the user in the language of the locale, English where no translation exists. */
export function displayText(entry: ErrorEntry, params: readonly string[], locale: string): string {
  const hidden = (entry.category === 'ERROR' || entry.category === 'CONFIGURATION') && !entry.display;
  const template = hidden
    ? (lookUp(locale, 'generic') ?? GENERIC_TEXT)
    : (lookUp(locale, entry.key) ?? entry.display ?? entry.message);
  return formatMessage(template, params);
}

/** `de-DE;q=0.8,en` or `de_DE` to `de_DE`; undefined for anything that is no language. */
export function localeOf(text: string | undefined): string | undefined {
  const match = /^\s*([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{2}|\d{3}))?\b/.exec(text ?? '');
  if (!match) return undefined;
  return match[2] ? `${match[1]!.toLowerCase()}_${match[2].toUpperCase()}` : match[1]!.toLowerCase();
}
