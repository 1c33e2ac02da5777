import { allProperties, parseProperty, propertyByKey, type Property } from '@groupware/contracts';
import type { ServerText } from './configuration-sources';

type Value = string | number | boolean;

/** The server's values of the cascade in this process. They are replaced as a whole when a file changed. */
export class ServerValues {
  private texts: ReadonlyMap<string, ServerText> = new Map();
  private parsed: ReadonlyMap<string, Value> = new Map();

  constructor(values: ReadonlyMap<string, ServerText> = new Map()) {
    this.replaceValues(values);
  }

  /** Values given as plain texts. */
  static fromTexts(values: Readonly<Record<string, string>>): ServerValues {
    const texts = Object.entries(values).map(([key, text]) => [key, { text, source: 'properties' }] as const);
    return new ServerValues(new Map(texts));
  }

  /** Takes new values; answers the keys whose text differs from before. */
  replaceValues(values: ReadonlyMap<string, ServerText>): string[] {
    const before = this.texts;
    const parsed = new Map<string, Value>();
    for (const [key, { text }] of values) {
      const property = propertyByKey(key);
      const value = property && parseProperty(property, text);
      if (value !== undefined) parsed.set(key, value);
    }
    this.texts = values;
    this.parsed = parsed;
    const keys = new Set([...before.keys(), ...values.keys()]);
    return [...keys].filter((key) => before.get(key)?.text !== values.get(key)?.text);
  }

  /** The value of a declared property, else its default. */
  get<T extends Value>(property: Property<T>): T {
    return (this.parsed.get(property.key) ?? property.default) as T;
  }

  /** The text of any key, declared or not; undefined when no source has it. */
  findText(key: string): string | undefined {
    return this.texts.get(key)?.text;
  }

  /** All texts by key. */
  get all(): ReadonlyMap<string, ServerText> {
    return this.texts;
  }
}

/** Lists values that do not match their declaration. Undeclared keys belong to other software. */
export const listInvalidValues = (values: ReadonlyMap<string, ServerText>): string[] =>
  allProperties()
    .filter((property) => {
      const text = values.get(property.key)?.text;
      return text !== undefined && parseProperty(property, text) === undefined;
    })
    .map((property) => {
      const { text, source } = values.get(property.key)!;
      // Values of secrets files are never shown, not even invalid ones.
      return `${property.key}: ${source === 'secrets' ? '***' : JSON.stringify(text)} is no ${property.type} in range`;
    });
