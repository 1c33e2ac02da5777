import { allErrors, formatMessage, type ErrorEntry } from '../kit';
import de from '../locales/de.json';
import en from '../locales/en.json';

/** Texts of one language: by error key (`PREFIX.name`), or by the keys of `locales/en.json`. */
export type Translation = Readonly<Record<string, string>>;

/** Key of a text that belongs to no error. */
export type TextKey = keyof typeof en;

const shipped: ReadonlyMap<string, Translation> = new Map([['de', de]]);
let translations = shipped;

/**
 * Puts languages beside the shipped ones, in place of those that were put there before. The key is a locale (`fr_CA`) or a
 * language (`fr`); what a text of the shipped German would have is taken from it where the file has none.
 */
export function setTranslations(added: ReadonlyMap<string, Translation>): void {
  const merged = new Map(shipped);
  for (const [locale, texts] of added) merged.set(locale, { ...shipped.get(locale), ...texts });
  translations = merged;
}

const isDetailForUsers = (entry: ErrorEntry): boolean =>
  entry.display !== undefined || (entry.category !== 'ERROR' && entry.category !== 'CONFIGURATION');

/** Every text that a user can see, in English: what a file of another language translates. */
export const translatableTexts = (): Record<string, string> => ({
  ...en,
  ...Object.fromEntries(
    allErrors()
      .filter(isDetailForUsers)
      .map(({ key, display, message }) => [key, display ?? message]),
  ),
});

function lookUp(locale: string, key: string): string | undefined {
  const language = locale.replace('-', '_');
  return translations.get(language)?.[key] ?? translations.get(language.split('_')[0] ?? '')?.[key];
}

/** A text in the language of the locale, English where no translation exists. */
export const localText = (key: TextKey, locale: string): string => lookUp(locale, key) ?? en[key];

/** The text of an error for the user in the language of the locale, English where no translation exists. */
export function displayText(entry: ErrorEntry, params: readonly string[], locale: string): string {
  if (!isDetailForUsers(entry)) return localText('generic', locale);
  return formatMessage(lookUp(locale, entry.key) ?? entry.display ?? entry.message, params);
}

/** `de-DE;q=0.8,en` or `de_DE` to `de_DE`; undefined for anything that is no language. */
export function localeOf(text: string | undefined): string | undefined {
  const match = /^\s*([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{2}|\d{3}))?\b/.exec(text ?? '');
  if (!match) return undefined;
  return match[2] ? `${match[1]!.toLowerCase()}_${match[2].toUpperCase()}` : match[1]!.toLowerCase();
}
