/** Level at which a property of the cascade may be set. Each scope overrides the ones after it. */
export type PropertyScope = 'user' | 'context' | 'server';

/** A property of the configuration cascade (user, then context, then server). */
export interface Property<T extends string | number | boolean = string | number | boolean> {
  /** `com.example.…`, as the API documents name it. */
  readonly key: string;
  readonly type: 'text' | 'int' | 'boolean';
  readonly default: T;
  readonly doc: string;
  /** Scopes that may override the default; `server` is always among them. */
  readonly scopes: readonly PropertyScope[];
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
}

const registry = new Map<string, Property>();
/** Properties whose keys hold a name that the operator chose. */
const families: { readonly pattern: RegExp; readonly declare: (key: string) => Property }[] = [];

/** Every declared property, sorted by key. */
export const allProperties = (): readonly Property[] => [...registry.values()].sort((a, b) => (a.key < b.key ? -1 : 1));

/** The declaration of a key, or undefined. */
export const propertyByKey = (key: string): Property | undefined =>
  registry.get(key) ?? families.find(({ pattern }) => pattern.test(key))?.declare(key);

type Declaration<T extends string | number | boolean> = Omit<Property<T>, 'type' | 'scopes'> & {
  readonly scopes?: readonly PropertyScope[];
};

function describe<T extends string | number | boolean>(declaration: Declaration<T>): Property<T> {
  const type =
    typeof declaration.default === 'number' ? 'int' : typeof declaration.default === 'boolean' ? 'boolean' : 'text';
  return { scopes: ['server'], ...declaration, type };
}

/** Declares a property of the cascade. */
export function property<T extends string | number | boolean>(declaration: Declaration<T>): Property<T> {
  const entry = describe(declaration);
  if (registry.has(entry.key)) throw new Error(`property ${entry.key} is declared twice`);
  registry.set(entry.key, entry);
  return entry;
}

/**
 * Declares properties that differ in a name which the operator chose; answers the one of a name.
 * @param pattern of their keys; a property that is declared by itself is none of them
 */
export function propertyFamily<T extends string | number | boolean>(
  keyOf: (name: string) => string,
  pattern: RegExp,
  declaration: Omit<Declaration<T>, 'key'>,
): (name: string) => Property<T> {
  const declare = (key: string): Property<T> => describe({ ...declaration, key });
  families.push({ pattern, declare });
  return (name) => declare(keyOf(name));
}

/** Reads the text form of a value; undefined when it does not fit the declaration. */
export function parseProperty(declaration: Property, text: string): string | number | boolean | undefined {
  if (declaration.type === 'boolean') return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined;
  if (declaration.type === 'int') {
    const number = /^[+-]?\d{1,16}$/.test(text.trim()) ? Number(text) : NaN;
    const fits = number >= (declaration.min ?? -Infinity) && number <= (declaration.max ?? Infinity);
    return fits ? number : undefined;
  }
  return declaration.values && !declaration.values.includes(text) ? undefined : text;
}
