import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { COMPAT_NAMES } from '@groupware/contracts';
import { parse } from 'yaml';
import {
  PROPERTY_VARIABLE,
  parsePropertyLines,
  flattenSecrets,
  toVariableName,
  type ReadValues,
} from './configuration-text';

type Environment = Readonly<Record<string, string | undefined>>;

/** Sources of server values; each overrides those before it. */
export interface ConfigurationSources {
  /** Files of `key=value` lines, or folders of such files named `*.properties`, in the order of their names. */
  readonly propertiesFiles: readonly string[];
  /** `GROUPWARE_PROPERTY_…`, with the suffix `_FILE` as the name of a file that holds the value. */
  readonly environment: Environment;
  /** Files as above or YAML or JSON trees; in folders each other file is named as its key, as secrets are mounted. */
  readonly secretsFiles: readonly string[];
}

/** Server values with the place each came from. */
export interface ServerConfiguration {
  readonly values: ReadonlyMap<string, ServerText>;
  readonly problems: readonly string[];
  /** Files and folders that were read, to be watched. */
  readonly files: readonly string[];
}

/** A server value as text. */
export interface ServerText {
  readonly text: string;
  readonly source: 'properties' | 'environment' | 'secrets';
}

const IS_TREE = /\.(ya?ml|json)$/i;

/** Files that belong to a source, in order: those of a folder by name. */
function listFiles(place: string): { files: string[]; folder: boolean } {
  if (!statSync(place).isDirectory()) return { files: [place], folder: false };
  const names = readdirSync(place)
    // Mounts of Kubernetes keep their bookkeeping in entries that begin with two dots.
    .filter((name) => !name.startsWith('.'))
    .sort();
  return { files: names.map((name) => path.join(place, name)).filter((file) => statSync(file).isFile()), folder: true };
}

function readSecretFile(file: string, inFolder: boolean): ReadValues {
  const text = readFileSync(file, 'utf8');
  if (IS_TREE.test(file)) return flattenSecrets(parse(text));
  if (!inFolder || file.endsWith('.properties')) return { values: parsePropertyLines(text), problems: [] };
  return { values: { [path.basename(file)]: text.replace(/\r?\n$/, '') }, problems: [] };
}

/** Values of the environment: of declared keys in any spelling of the variable, of others by their literal name. */
function readEnvironment(environment: Environment, declared: readonly string[]): ReadValues & { files: string[] } {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  const files: string[] = [];
  const keys = new Map(declared.map((key) => [toVariableName(key), key]));
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(PROPERTY_VARIABLE) || text === undefined) continue;
    const key = keys.get(variable) ?? toLiteralKey(variable);
    if (key !== undefined) values[key] = text;
    else if (variable.endsWith('_FILE')) {
      const named = variable.slice(0, -'_FILE'.length);
      const of = keys.get(named) ?? toLiteralKey(named);
      if (of === undefined) problems.push(`${variable}: there is no such property`);
      else {
        files.push(text);
        attempt(problems, text, () => (values[of] = readFileSync(text, 'utf8').replace(/\r?\n$/, '')));
      }
    } else problems.push(`${variable}: there is no such property`);
  }
  return { values, problems, files };
}

/** Variables may also bear the key itself, which needs no declaration: keys have dots, other variables have none. */
const toLiteralKey = (variable: string): string | undefined => {
  const key = variable.slice(PROPERTY_VARIABLE.length);
  return key.includes('.') && !key.endsWith('_FILE') ? key : undefined;
};

function attempt(problems: string[], place: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    problems.push(`${place}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
  }
}

/**
 * Reads all sources.
 * @param declared keys whose environment variables are known by their upper-case form
 */
export function readConfiguration(sources: ConfigurationSources, declared: readonly string[]): ServerConfiguration {
  const values = new Map<string, ServerText>();
  const problems: string[] = [];
  const files: string[] = [];
  const take = (read: Record<string, string>, source: ServerText['source']): void => {
    for (const [key, text] of Object.entries(read)) values.set(key, { text, source });
  };
  const readPlace = (place: string, source: 'properties' | 'secrets'): void =>
    attempt(problems, place, () => {
      files.push(place);
      const found = listFiles(place);
      for (const file of found.files) {
        if (found.folder && source === 'properties' && !file.endsWith('.properties')) continue;
        files.push(file);
        attempt(problems, file, () => {
          const read =
            source === 'secrets'
              ? readSecretFile(file, found.folder)
              : { values: parsePropertyLines(readFileSync(file, 'utf8')), problems: [] };
          take(read.values, source);
          problems.push(...read.problems.map((problem) => `${file}: ${problem}`));
        });
      }
    });
  for (const place of sources.propertiesFiles) readPlace(place, 'properties');
  const variables = readEnvironment(sources.environment, declared);
  take(variables.values, 'environment');
  problems.push(...variables.problems);
  files.push(...variables.files);
  for (const place of sources.secretsFiles) readPlace(place, 'secrets');
  if (/^true$/i.test(values.get(COMPAT_NAMES.key)?.text ?? '')) addOriginalNames(values);
  return { values, problems, files };
}

const OURS = 'com.example.';
const ORIGINAL = 'com.openexchange.';

/** Takes values under the original names of properties, too, where none is given under ours. */
function addOriginalNames(values: Map<string, ServerText>): void {
  for (const [key, value] of [...values]) {
    if (!key.startsWith(ORIGINAL)) continue;
    const own = OURS + key.slice(ORIGINAL.length);
    if (!values.has(own)) values.set(own, value);
  }
}
