import { readFileSync } from 'node:fs';
import { ProvisioningErrors } from '@groupware/contracts';
import { BadSettings, type ConfigurationFiles } from '@groupware/service-kit';
import { CSV_FIELDS, titleKey, type FieldMapping, type ImportFormat } from './import-fields';

/** Fields that rows may have. */
const KNOWN: ReadonlySet<string> = new Set(Object.values(CSV_FIELDS));

/** One spelling of the titles of columns and of the names of attributes. */
const KEYS: Readonly<Record<ImportFormat, (name: string) => string>> = {
  csv: titleKey,
  ldif: (name) => name.toLowerCase(),
};

/** Reads `title=field` pairs of one call; nothing behind `=`: the column is not read. @throws PROV-0019 */
export function mappingOf(format: ImportFormat, pairs: readonly string[]): FieldMapping {
  const entries = pairs.map((pair) => {
    const at = pair.lastIndexOf('=');
    const field = pair.slice(at + 1).trim();
    const title = KEYS[format](pair.slice(0, Math.max(at, 0)).trim());
    if (title === '' || (field !== '' && !KNOWN.has(field))) throw ProvisioningErrors.invalidField('map', pair);
    return [title, field || null] as const;
  });
  return Object.fromEntries(entries);
}

interface ReadMappings {
  readonly mappings: Readonly<Record<ImportFormat, FieldMapping>>;
  readonly problems: readonly string[];
}

const NOTHING: ReadMappings['mappings'] = { csv: {}, ldif: {} };

function readMappings(file: string): ReadMappings {
  const problems: string[] = [];
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  let tree: unknown;
  try {
    tree = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return { mappings: NOTHING, problems: [`${file}: ${(error as Error).message}`] };
  }
  const mappings: Record<string, FieldMapping> = { ...NOTHING };
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
  return { mappings: mappings as ReadMappings['mappings'], problems };
}

/** What the operator's file says about columns and attributes; followed while the process runs. */
export class ImportMappings {
  private constructor(private mappings: ReadMappings['mappings']) {}

  /** @param file empty: there is none @throws BadSettings when the first reading finds problems */
  static open(file: string, files: ConfigurationFiles): ImportMappings {
    const opened = new ImportMappings(NOTHING);
    if (file === '') return opened;
    const first = readMappings(file);
    if (first.problems.length > 0) throw new BadSettings(first.problems);
    opened.mappings = first.mappings;
    files.follow({
      name: 'import mapping',
      files: () => [file],
      read: () => {
        const next = readMappings(file);
        if (next.problems.length === 0) opened.mappings = next.mappings;
        return Promise.resolve(next.problems);
      },
    });
    return opened;
  }

  /** The mapping of a call: the operator's, with that of the call on top. @throws PROV-0019 */
  of(format: ImportFormat, pairs: readonly string[]): FieldMapping {
    return { ...this.mappings[format], ...mappingOf(format, pairs) };
  }
}
