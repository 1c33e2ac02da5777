import { Field, MailErrors, MAX_BAD_ITEMS, type BodySpec, type CatalogueError } from '@groupware/contracts';
import { JSON_LIMITS, parseBody } from './arguments';

class Place {
  @Field.int({ doc: 'id' }) id!: number;
  @Field.text({ doc: 'folder', pattern: /^\w+$/ }) folder!: string;
}
const PLACES: BodySpec = { kind: 'jsonList', required: true, model: Place };
const ANY: BodySpec = { kind: 'jsonValue', required: true };

const parse = (spec: BodySpec, text: string) => parseBody(spec, Buffer.from(text), 'json');
const refusalOf = async (spec: BodySpec, text: string): Promise<CatalogueError> =>
  parse(spec, text).then(
    () => Promise.reject(new Error('it was not refused')),
    (error: CatalogueError) => error,
  );
const places = (count: number, folder: (index: number) => string = () => 'a') =>
  Array.from({ length: count }, (_none, index) => ({ id: index, folder: folder(index) }));

describe('JSON bodies', () => {
  it('of thousands of elements are read in several turns of the event loop', async () => {
    const list = places(10_000, (index) => `folder${index}`);
    let turns = 0;
    let isRunning = true;
    const count = () => {
      turns++;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    const value = await parse(PLACES, JSON.stringify(list));
    isRunning = false;
    expect(value).toEqual(list);
    expect((value as object[])[9_999]).toBeInstanceOf(Place);
    expect(turns).toBeGreaterThan(0);
  });

  it.each([
    ['a small one', '\ufeff[{"id":1,"folder":"a"}]', 1],
    ['a large one', `\ufeff${JSON.stringify(places(5_000))}`, 5_000],
  ])('begin with a byte order mark or not: %s', async (_name, text, count) => {
    expect(await parse(PLACES, text)).toHaveLength(count);
  });

  it('tell the first of many bad elements, by their places', async () => {
    const text = JSON.stringify(places(10_000, (index) => (index < 100 ? 'a' : '/')));
    const { code, details } = await refusalOf(PLACES, text);
    expect(code).toBe('SVL-0031');
    expect(details.problematic).toHaveLength(MAX_BAD_ITEMS);
    expect(details.problematic?.[0]).toMatchObject({ name: '[100].folder' });
  });

  it.each([
    ['values', `[${'[],'.repeat(JSON_LIMITS.values / 2)}1]`],
    ['values of objects', `[${'{"a":1},'.repeat(JSON_LIMITS.values / 2)}1]`],
    ['members', `{${Array.from({ length: JSON_LIMITS.members + 1 }, (_none, index) => `"${index}name":1`).join(',')}}`],
    ['levels', '['.repeat(JSON_LIMITS.depth + 1)],
    ['levels of a large one', '['.repeat(100_000)],
  ])('with too many %s are refused', async (_name, text) => {
    expect(await refusalOf(ANY, text)).toMatchObject({ code: 'SVL-0031' });
  });

  it.each([
    ['a small one', '[1,2'],
    ['a large one', `[${'1,'.repeat(50_000)}]`],
  ])('that are broken are refused: %s', async (_name, text) => {
    expect(await refusalOf(ANY, text)).toMatchObject({ code: 'SVL-0029' });
    const own = { ...ANY, broken: MailErrors.badSearch };
    expect(await refusalOf(own, text)).toMatchObject({ code: 'MSG-0003' });
  });
});
