import { fieldsOf, type FieldDescription, type Model } from '@groupware/contracts';

/** True for an object that is no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Problems of a value of a field; empty when there are none. */
export function wrongValue(field: FieldDescription, value: unknown, where: string, partial: boolean): string[] {
  const bad = (expected: string) => [`${where} is no ${expected}`];
  switch (field.type) {
    case 'text':
    case 'id':
      return typeof value === 'string' ? [] : bad('text');
    case 'boolean':
      return typeof value === 'boolean' ? [] : bad('boolean');
    case 'int':
    case 'number':
    case 'time':
    case 'timestamp':
    case 'date':
      return typeof value === 'number' ? [] : bad('number');
    case 'list':
      if (!Array.isArray(value)) return bad('list');
      return field.model
        ? value.flatMap((item: unknown) => wrongObject(field.model!(), item, `${where}[]`, partial))
        : [];
    case 'object':
      return field.model ? wrongObject(field.model(), value, where, partial) : isRecord(value) ? [] : bad('object');
    default:
      return [];
  }
}

/** Problems of an object that should be one of a model. With `partial` a client chose the fields. */
export function wrongObject(model: Model, value: unknown, where: string, partial: boolean): string[] {
  if (!isRecord(value)) return [`${where} is no object`];
  const fields = fieldsOf(model);
  const unknown = Object.keys(value).filter((name) => !fields.some(({ wireName }) => wireName === name));
  return [
    ...unknown.map((name) => `${where}.${name} is not declared`),
    ...fields.flatMap((field) => {
      const inner = value[field.wireName];
      if (inner === undefined || (inner === null && field.optional))
        return partial || field.optional || field.writeOnly ? [] : [`${where}.${field.wireName} is missing`];
      return wrongValue(field, inner, `${where}.${field.wireName}`, partial);
    }),
  ];
}
