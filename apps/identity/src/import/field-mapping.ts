import { readFileSync } from 'node:fs';
import { ProvisioningErrors } from '@groupware/contracts';
import { BadSettings, type ConfigurationFiles } from '@groupware/service-kit';
import { CSV_FIELDS, normalizeTitle, type FieldMapping, type ImportFormat } from './import-fields';

/** Known fields of rows. */
const KNOWN: ReadonlySet<string> = new Set(Object.values(CSV_FIELDS));

/** Normalization of column titles and attribute names. */
const KEYS: Readonly<Record<ImportFormat, (name: string) => string>> = {
  csv: normalizeTitle,
  ldif: (name) => name.toLowerCase(),
};

/** Parses `title=field` pairs of a call; an empty field skips the column. @throws PROV-0019 */
function parseMapping(format: ImportFormat, pairs: readonly string[]): FieldMapping {
  const entries = pairs.map((pair) => {
    const at = pair.lastIndexOf('=');
    const field = pair.slice(at + 1).trim();
    const title = KEYS[format](pair.slice(0, Math.max(at, 0)).trim());
    if (title === '' || (field !== '' && !KNOWN.has(field))) throw ProvisioningErrors.invalidField('map', pair);
    return [title, field || null] as const;
  });
  return Object.fromEntries(entries);
}

interface MappingFile {
  readonly mappings: Readonly<Record<ImportFormat, FieldMapping>>;
  readonly problems: readonly string[];
}

const EMPTY_MAPPINGS: MappingFile['mappings'] = { csv: {}, ldif: {} };

function parseMappingFile(file: string): MappingFile {
  const problems: string[] = [];
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  let tree: unknown;
  try {
    tree = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return { mappings: EMPTY_MAPPINGS, problems: [`${file}: ${(error as Error).message}`] };
  }
  const mappings: Record<string, FieldMapping> = { ...EMPTY_MAPPINGS };
  if (!isObject(tree)) problems.push(`${file}: an object with csv, ldif or both expected`);
  for (const [format, names] of Object.entries(isObject(tree) ? tree : {})) {
    if (!(format in KEYS) || !isObject(names)) {
      problems.push(`${file}: ${format} is neither csv nor ldif with an object of names and fields`);
      continue;
    }
    const fields: Record<string, string | null> = {};
    for (const [name, field] of Object.entries(names) as [string, unknown][])
      if (field === null || (typeof field === 'string' && KNOWN.has(field)))
        fields[KEYS[format as ImportFormat](name)] = field;
      else problems.push(`${file}: ${format}, ${name}: ${JSON.stringify(field)} is no field of an import`);
    mappings[format] = fields;
  }
  return { mappings: mappings as MappingFile['mappings'], problems };
}

/** Field mappings of the operator's file, reloaded on change. */
export class ImportMappings {
  private constructor(private mappings: MappingFile['mappings']) {}

  /** @param file empty: there is none @throws BadSettings when the first reading finds problems */
  static open(file: string, files: ConfigurationFiles): ImportMappings {
    const opened = new ImportMappings(EMPTY_MAPPINGS);
    if (file === '') return opened;
    const first = parseMappingFile(file);
    if (first.problems.length > 0) throw new BadSettings(first.problems);
    opened.mappings = first.mappings;
    files.watch({
      name: 'import mapping',
      files: () => [file],
      read: () => {
        const next = parseMappingFile(file);
        if (next.problems.length === 0) opened.mappings = next.mappings;
        return Promise.resolve(next.problems);
      },
    });
    return opened;
  }

  /** Resolves the mapping of a call: the operator's, overridden by that of the call. @throws PROV-0019 */
  resolveMapping(format: ImportFormat, pairs: readonly string[]): FieldMapping {
    return { ...this.mappings[format], ...parseMapping(format, pairs) };
  }
}
