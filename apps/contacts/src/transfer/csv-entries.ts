import { CatalogueError, ImportExportErrors } from '@groupware/contracts';
import { readCsvRecords, type CsvRecord } from './csv-records';
import { TITLE_TABLES, type TitleTable } from './csv-titles';
import { toImportedContent, toImportedMembers, type EntryProblems, type ImportedFields } from './import-content';
import type { ImportEntry } from './import-entry';
import type { ImportSource } from './contact-import';

const NAMING = [
  'display_name',
  'last_name',
  'first_name',
  'second_name',
  'nickname',
  'company',
  'email1',
  'email2',
  'email3',
];
const DATES: ReadonlySet<string> = new Set(['birthday', 'anniversary']);
const BOOLEANS: ReadonlySet<string> = new Set(['private_flag', 'mark_as_distributionlist']);
/** Fields that the server sets; exports write them. */
const IGNORED: ReadonlySet<string> = new Set([
  ...['id', 'folder_id', 'created_by', 'modified_by', 'creation_date', 'last_modified', 'number_of_distribution_list'],
]);

/** The title row of a file. */
interface Titles {
  /** Field of each column. */
  readonly fields: readonly (string | undefined)[];
  readonly unknown: readonly string[];
  readonly dateOrder: TitleTable['dateOrder'];
}

/**
 * Reads the rows of a CSV file as entries of an import.
 * @throws I_E-0804, I_E-0807, I_E-1310, I_E-1315
 */
export async function* readCsvEntries(source: ImportSource): AsyncGenerator<ImportEntry> {
  let titles: Titles | undefined;
  let index = 0;
  for await (const record of readCsvRecords(source.bytes(), source.charset)) {
    if (record.error !== undefined) {
      const error = ImportExportErrors.refused(record.error);
      if (!titles) throw error;
      yield { index: index++, line: record.line, warnings: [], error };
    } else if (titles) yield toEntry(record, index++, titles, source);
    else titles = readTitles(record.cells);
  }
  if (index === 0) throw ImportExportErrors.noContent();
}

/** Takes the table that knows most titles. @throws I_E-0804, I_E-0807 */
function readTitles(cells: readonly string[]): Titles {
  const titles = cells.map((cell) => cell.trim());
  const read = TITLE_TABLES.map(({ fields, dateOrder }) => {
    const found = titles.map((title) => fields.get(title.toLowerCase()));
    return { fields: found, dateOrder, known: found.filter((field) => field !== undefined).length };
  });
  const best = read.reduce((first, next) => (next.known > first.known ? next : first));
  if (best.known === 0) throw ImportExportErrors.noTitles();
  if (!best.fields.some((field) => field !== undefined && NAMING.includes(field)))
    throw ImportExportErrors.noNamingTitle();
  const unknown = titles.filter((title, at) => title !== '' && best.fields[at] === undefined);
  return { fields: best.fields, dateOrder: best.dateOrder, unknown };
}

function toEntry({ cells, line }: CsvRecord, index: number, titles: Titles, rules: ImportSource): ImportEntry {
  const problems: EntryProblems = { warnings: [], fields: [] };
  if (titles.unknown.length > 0) problems.warnings.push(ImportExportErrors.unknownTitles(titles.unknown.join(', ')));
  try {
    const fields = readFields(cells, titles, problems);
    if (Object.keys(fields).length === 0) throw ImportExportErrors.noValue(index + 1);
    if (!NAMING.some((field) => fields[field] !== undefined)) throw ImportExportErrors.noNamingValue(line);
    const { distribution_list: list, mark_as_distributionlist: isList, ...others } = fields;
    const members = Array.isArray(list) ? list : isList ? [] : undefined;
    return {
      index,
      line,
      contact: {
        content: toImportedContent(others, rules, problems),
        ...(members && { members: toImportedMembers(members as { mail: string }[], rules, problems) }),
      },
      warnings: problems.warnings,
      ...(problems.fields.length > 0 && { fields: problems.fields }),
    };
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return { index, line, warnings: [], error };
  }
}

function readFields(cells: readonly string[], titles: Titles, problems: EntryProblems): ImportedFields {
  const fields: ImportedFields = {};
  for (const [at, field] of titles.fields.entries()) {
    const text = cells[at]?.trim();
    if (!field || !text || IGNORED.has(field)) continue;
    const value = readValue(field, text, titles.dateOrder);
    if (value === undefined) {
      problems.warnings.push(ImportExportErrors.invalidValue(field, text.slice(0, 200)));
      problems.fields.push(field);
    } else if (value !== null) fields[field] = value;
  }
  return fields;
}

/** The value of a cell; null for none, undefined for one that makes no sense. */
function readValue(field: string, text: string, dateOrder: TitleTable['dateOrder']): unknown {
  if (DATES.has(field)) return parseDate(text, dateOrder);
  if (BOOLEANS.has(field)) return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined;
  if (field === 'default_address') return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (field === 'distribution_list') return parseMembers(text);
  return text;
}

/** Midnight UTC of `dd.MM.yyyy`, `dd-MM-yyyy`, `yyyy-MM-dd`, or of day and month between slashes in the order of the table. */
function parseDate(text: string, order: TitleTable['dateOrder']): number | null | undefined {
  if (/^0+[./-]0+[./-]0+$/.test(text)) return null;
  const dotted = /^(\d{1,2})([.-])(\d{1,2})\2(\d{4})$/.exec(text);
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (dotted) return toMidnight(dotted[4]!, dotted[3]!, dotted[1]!);
  if (iso) return toMidnight(iso[1]!, iso[2]!, iso[3]!);
  if (!slashed) return undefined;
  const [first, second, year] = [slashed[1]!, slashed[2]!, slashed[3]!];
  const american = toMidnight(year, first, second);
  const european = toMidnight(year, second, first);
  return order === 'mdy' ? (american ?? european) : (european ?? american);
}

function toMidnight(year: string, month: string, day: string): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isReal ? date.getTime() : undefined;
}

/** Members of a list as exports write them. */
function parseMembers(text: string): unknown {
  try {
    const list = JSON.parse(text) as unknown;
    if (!Array.isArray(list)) return undefined;
    return list.flatMap((member: { mail?: unknown; display_name?: unknown } | null) =>
      typeof member?.mail === 'string'
        ? [{ mail: member.mail, ...(typeof member.display_name === 'string' && { displayName: member.display_name }) }]
        : [],
    );
  } catch {
    return undefined;
  }
}
