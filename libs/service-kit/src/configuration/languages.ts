import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { localeOf, setTranslations, translatableTexts, type Translation } from '@groupware/contracts';
import { BadSettings } from '../config/setting';
import { Logger } from '../log/logger';
import { describeError } from '../describe-error';
import type { ConfigurationFiles } from './configuration-files';

const log = Logger.for('process.configuration');

/**
 * Puts the languages of a folder into force, a file `<locale>.json` for each, and follows them while the process runs.
 * @throws BadSettings when the first reading finds problems
 */
export function watchLanguages(folder: string, files: ConfigurationFiles): void {
  if (folder === '') return;
  const problems = readLanguages(folder);
  if (problems.length > 0) throw new BadSettings(problems);
  files.watch({
    name: 'languages',
    files: () => [folder, ...listLanguageFiles(folder).map((file) => path.join(folder, file))],
    read: () => readLanguages(folder),
  });
}

const listLanguageFiles = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];

/** Reads all files; with a problem in one of them nothing changes. */
function readLanguages(folder: string): string[] {
  if (!existsSync(folder)) return [`GROUPWARE_LANGUAGES: there is no folder ${folder}`];
  const problems: string[] = [];
  const languages = new Map<string, Translation>();
  for (const file of listLanguageFiles(folder)) {
    const locale = path.basename(file, '.json');
    if (localeOf(locale) !== locale) problems.push(`${file}: the name is no locale such as fr or fr_CA`);
    try {
      languages.set(locale, parseTexts(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))));
    } catch (error) {
      problems.push(`${file}: ${describeError(error)}`);
    }
  }
  if (problems.length > 0) return problems.map((problem) => `GROUPWARE_LANGUAGES: ${problem}`);
  setTranslations(languages);
  for (const [locale, texts] of languages) logGaps(locale, texts);
  return [];
}

function parseTexts(content: unknown): Translation {
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new Error('not an object of texts');
  const wrong = Object.entries(content).find(([, text]) => typeof text !== 'string');
  if (wrong) throw new Error(`${wrong[0]} is no text`);
  return content as Translation;
}

/** Logs missing texts, which fall back to English, and unknown ones. */
function logGaps(locale: string, texts: Translation): void {
  const known = translatableTexts();
  const missing = Object.keys(known).filter((key) => !(key in texts)).length;
  const unknown = Object.keys(texts).filter((key) => !(key in known));
  log.info({ locale, missing, unknown }, 'language read');
}
