// Values that answers had, by field: one that is the same in the answers of all tests is a constant, or never answered at all.

/** A type of the reference: `string`, `array<row|integer>`, the name of a model … */
type TypeName = string;
type Models = Readonly<Record<string, Readonly<Record<string, TypeName>>>>;

/** Values of a field that are kept: two tell that they differ. */
const KEPT = 2;
/** Beginning of a value by which it is known. */
const KEPT_CHARACTERS = 64;

const seen = new Map<string, Set<string>>();

function note(field: string, value: unknown): void {
  const known = seen.get(field) ?? new Set();
  if (known.size >= KEPT) return;
  // A field that is left out says as much as null.
  seen.set(field, known.add(JSON.stringify(value ?? null).slice(0, KEPT_CHARACTERS)));
}

/** Notes the fields of a value of a type of the reference, and of the models inside. */
export function noteTyped(models: Models, type: TypeName, value: unknown): void {
  if (Array.isArray(value)) {
    for (const each of value as unknown[]) noteTyped(models, type, each);
    return;
  }
  const name = (type.match(/\w+/g) ?? []).find((each) => Object.hasOwn(models, each));
  if (name === undefined || typeof value !== 'object' || value === null) return;
  const object = value as Readonly<Record<string, unknown>>;
  for (const [field, inner] of Object.entries(models[name]!)) {
    note(`${name}.${field}`, object[field]);
    if (object[field] !== undefined) noteTyped(models, inner, object[field]);
  }
}

/** Notes the cells of rows. @param names wire names of the columns */
export function noteRows(model: string, names: readonly (string | undefined)[], rows: readonly unknown[]): void {
  for (const row of rows)
    if (Array.isArray(row))
      for (const [index, name] of names.entries()) if (name !== undefined) note(`${model}.${name}`, row[index]);
}

/** Lists the values noted so far, by field. */
export const listSeenValues = (): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...seen].map(([field, values]) => [field, [...values]]));
