import { fieldsOf, type FieldDescription, type FieldType, type Model } from '../kit';

/** A JSON Schema (2020-12) as OpenAPI 3.1 uses it. */
export type JsonSchema = Record<string, unknown>;

const SIMPLE: Readonly<Record<Exclude<FieldType, 'list' | 'object' | 'columns'>, JsonSchema>> = {
  int: { type: 'integer', format: 'int32' },
  number: { type: 'number' },
  text: { type: 'string' },
  id: { type: 'string' },
  boolean: { type: 'boolean' },
  time: { type: 'integer', format: 'int64' },
  timestamp: { type: 'integer', format: 'int64' },
  date: { type: 'integer', format: 'int64' },
  any: {},
};

const HINTS: Partial<Record<FieldType, string>> = {
  time: 'Milliseconds since 1970, shifted by the offset of the zone of the request.',
  timestamp: 'Milliseconds since 1970, UTC.',
  date: 'Midnight UTC of the day, milliseconds since 1970.',
  columns: 'Comma list of column numbers or field names.',
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Documentation of a field with what its type means. */
export function describeField(field: FieldDescription): string {
  const hint = HINTS[field.type];
  return hint ? `${sentence(field.doc)} ${hint}` : field.doc;
}

/** Writes models as named schemas and refers to them. */
export class SchemaWriter {
  /** The schemas written so far, by name. */
  readonly schemas: Record<string, JsonSchema> = {};
  private readonly names = new Map<Model, string>();

  /** Reference to the schema of a model, which is written when it was not yet. */
  ref(model: Model): JsonSchema {
    return { $ref: `#/components/schemas/${this.nameOf(model)}` };
  }

  private nameOf(model: Model): string {
    const known = this.names.get(model);
    if (known) return known;
    let name = model.name || 'Model';
    for (let index = 2; name in this.schemas; index++) name = `${model.name || 'Model'}${index}`;
    this.names.set(model, name);
    // Reserved before its fields are written: a model may contain itself.
    const schema: JsonSchema = (this.schemas[name] = {});
    Object.assign(schema, this.objectOf(model));
    return name;
  }

  private objectOf(model: Model): JsonSchema {
    const fields = fieldsOf(model);
    const required = fields.filter((field) => !field.optional && !field.readOnly).map((field) => field.wireName);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.wireName, this.property(field)])),
      ...(required.length > 0 ? { required } : {}),
    };
  }

  private property(field: FieldDescription): JsonSchema {
    const schema = this.valueOf(field);
    const nullable = field.optional && !field.readOnly && typeof schema.type === 'string';
    return {
      ...schema,
      // null deletes the value of an optional field.
      ...(nullable ? { type: [schema.type, 'null'] } : {}),
      ...(nullable && schema.enum ? { enum: [...(schema.enum as unknown[]), null] } : {}),
      description: describeField(field),
      ...(field.readOnly ? { readOnly: true } : {}),
      ...(field.writeOnly ? { writeOnly: true } : {}),
      ...(field.column === undefined ? {} : { 'x-column': field.column }),
    };
  }

  /** The schema of the values of a field, without documentation. */
  valueOf(field: FieldDescription): JsonSchema {
    switch (field.type) {
      case 'columns':
        return { type: 'array', items: { type: 'string' }, maxItems: field.maxItems };
      case 'object':
        return field.model ? this.ref(field.model()) : { type: 'object' };
      case 'list':
        return {
          type: 'array',
          items: field.model ? this.ref(field.model()) : this.item(field.items ?? 'any'),
          ...(field.maxItems === undefined ? {} : { maxItems: field.maxItems }),
        };
      default:
        return {
          ...SIMPLE[field.type],
          ...(field.min === undefined ? {} : { minimum: field.min }),
          ...(field.max === undefined ? {} : { maximum: field.max }),
          ...(field.minLength === undefined ? {} : { minLength: field.minLength }),
          ...(field.maxLength === undefined ? {} : { maxLength: field.maxLength }),
          ...(field.pattern === undefined ? {} : { pattern: field.pattern.source }),
          ...(field.allowed === undefined ? {} : { enum: [...field.allowed] }),
        };
    }
  }

  /** The schema of one element of a list without model. */
  item(type: FieldType): JsonSchema {
    return type === 'list' || type === 'object' || type === 'columns' ? {} : { ...SIMPLE[type] };
  }
}
