/** Where a property of the cascade may be set. Each scope overrides the ones after it. */
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

/** Every declared property, sorted by key. */
export const allProperties = (): readonly Property[] => [...registry.values()].sort((a, b) => (a.key < b.key ? -1 : 1));

/** The declaration of a key, or undefined. */
export const propertyByKey = (key: string): Property | undefined => registry.get(key);

/** Declares a property of the cascade. */
export function property<T extends string | number | boolean>(
  declaration: Omit<Property<T>, 'type' | 'scopes'> & { scopes?: readonly PropertyScope[] },
): Property<T> {
  const type =
    typeof declaration.default === 'number' ? 'int' : typeof declaration.default === 'boolean' ? 'boolean' : 'text';
  const entry: Property<T> = { scopes: ['server'], ...declaration, type };
  if (registry.has(entry.key)) throw new Error(`property ${entry.key} is declared twice`);
  registry.set(entry.key, entry);
  return entry;
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
