import { fieldsOf, operations, parseInput, type FieldDescription, type Model } from './index';

interface Place {
  readonly name: string;
  readonly model: Model;
  readonly field: FieldDescription;
}

/** Fields of the bodies that clients send, nested ones included, each model once. */
function bodyFields(): Place[] {
  const seen = new Set<Model>();
  const places: Place[] = [];
  const visit = (name: string, model: Model): void => {
    if (seen.has(model)) return;
    seen.add(model);
    for (const field of fieldsOf(model)) {
      if (!field.readOnly) places.push({ name: `${name}: ${field.wireName}`, model, field });
      if (field.model) visit(name, field.model());
    }
  };
  for (const { kind, body, module, name } of operations)
    if (kind === 'action' && body?.model) visit(`${module}.${name}`, body.model);
  return places;
}

const valueOf = ({ model, field }: Place, sent: unknown): unknown => {
  const { value, problems } = parseInput(model, { [field.wireName]: sent }, 'json');
  return problems.some(({ name }) => name === field.wireName)
    ? 'refused'
    : (value as Record<string, unknown>)[field.property];
};

const numeric: ReadonlySet<string> = new Set(['int', 'number', 'time', 'timestamp', 'date']);
const sample = ({ allowed, min = 0, max = Infinity }: FieldDescription): number =>
  Number(allowed?.[0] ?? Math.min(Math.max(min, 1), max));

describe('bodies of the client API', () => {
  const places = bodyFields();
  const booleans = places.filter(({ field }) => field.type === 'boolean');
  const numbers = places.filter(({ field }) => numeric.has(field.type));

  it('have flags and numbers', () => {
    expect(booleans.map(({ name }) => name)).toContain('folders.new: subscribed');
    expect(numbers.length).toBeGreaterThan(50);
  });

  it.each(booleans.map((place) => [place.name, place] as const))('take every form of a flag for %s', (_name, place) => {
    expect([true, 1, '1', 'true'].map((sent) => valueOf(place, sent))).toEqual([true, true, true, true]);
    expect([false, 0, '0', 'false'].map((sent) => valueOf(place, sent))).toEqual([false, false, false, false]);
    expect(valueOf(place, 'maybe')).toBe('refused');
  });

  it.each(numbers.map((place) => [place.name, place] as const))('take a number as text for %s', (_name, place) => {
    const number = sample(place.field);
    expect([number, String(number)].map((sent) => valueOf(place, sent))).toEqual([number, number]);
    expect(valueOf(place, 'many')).toBe('refused');
  });
});
