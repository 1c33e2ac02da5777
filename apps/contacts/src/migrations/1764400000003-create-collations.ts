import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Languages with an alphabetical order of their own; others sort by the root order `und`. */
export const SORTED_LANGUAGES = [
  ...[
    'und',
    'af',
    'ar',
    'az',
    'be',
    'bg',
    'bn',
    'bs',
    'ca',
    'cs',
    'cy',
    'da',
    'de',
    'el',
    'en',
    'eo',
    'es',
    'et',
    'fa',
  ],
  ...['fi', 'fo', 'fr', 'ga', 'gl', 'gu', 'he', 'hi', 'hr', 'hu', 'hy', 'id', 'is', 'it', 'ja', 'ka', 'kk', 'km', 'kn'],
  ...['ko', 'ky', 'lt', 'lv', 'mk', 'ml', 'mn', 'mr', 'ms', 'mt', 'my', 'nb', 'nl', 'nn', 'no', 'pa', 'pl', 'pt', 'ro'],
  ...['ru', 'sk', 'sl', 'sq', 'sr', 'sv', 'sw', 'ta', 'te', 'th', 'tr', 'uk', 'ur', 'uz', 'vi', 'zh'],
] as const;

/**
 * One collation for each language: as people of the language sort, with digits compared as numbers (`kn`), so that "Nr 2"
 * stands before "Nr 10". Chinese also by pinyin, which two values of a request parameter ask for.
 */
export class CreateCollations1764400000003 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    for (const language of SORTED_LANGUAGES)
      await db.query(`create collation people_${language} (provider = icu, locale = '${language}-u-kn-true')`);
    await db.query(`create collation people_pinyin (provider = icu, locale = 'zh-u-co-pinyin-kn-true')`);
  }

  async down(db: MigrationRunner): Promise<void> {
    for (const language of SORTED_LANGUAGES) await db.query(`drop collation people_${language}`);
    await db.query('drop collation people_pinyin');
  }
}
