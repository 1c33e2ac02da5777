/** Parsed values of one source, with problems. */
export interface ReadValues {
  readonly values: Record<string, string>;
  readonly problems: string[];
}

/** Reads lines of `key=value`; `#` and `!` begin comment lines. Later lines win. */
export function parsePropertyLines(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([^#!=\s][^=]*)=(.*)$/s.exec(line);
    if (match) values[match[1]!.trim()] = match[2]!.trim();
  }
  return values;
}

/** Beginning of the values that SOPS encrypts. */
const ENCRYPTED = /^ENC\[/;

/**
 * Flattens a tree of secrets as SOPS keeps them: the keys of the levels are joined by dots, and the entry `sops`, which
 * describes the encryption, is left out. Values must have been decrypted when the file was mounted.
 */
export function flattenSecrets(tree: unknown): ReadValues {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value))
        if (path !== '' || name !== 'sops') walk(inner, path === '' ? name : `${path}.${name}`);
    } else if (path === '') problems.push('holds no keys');
    else if (['string', 'number', 'boolean'].includes(typeof value)) values[path] = String(value);
    else if (value !== null) problems.push(`${path} is neither text nor number nor boolean`);
  };
  walk(tree, '');
  for (const [key, value] of Object.entries(values))
    if (ENCRYPTED.test(value)) {
      problems.push(`${key} is still encrypted: decrypt the file before it is mounted`);
      delete values[key];
    }
  return { values, problems };
}

/** Prefix of environment variables that hold server values. */
export const PROPERTY_VARIABLE = 'GROUPWARE_PROPERTY_';

/** The variable of a declared property: upper case, everything but letters and digits as `_`. */
export const toVariableName = (key: string): string => PROPERTY_VARIABLE + key.toUpperCase().replace(/[^A-Z0-9]/g, '_');
