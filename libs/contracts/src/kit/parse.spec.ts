import { Field } from './field';
import { parseInput, toWire } from './parse';

class Inner {
  @Field.int({ doc: 'a number', min: 0 }) size!: number;
}
class Sample {
  @Field.int({ doc: 'a number', min: 1, max: 10 }) count!: number;
  @Field.boolean({ doc: 'a flag', optional: true }) flag?: boolean;
  @Field.id({ doc: 'an id', optional: true }) id?: string;
  @Field.text({ doc: 'a text', optional: true, maxLength: 5 }) title?: string;
  @Field.columns({ doc: 'columns', optional: true }) columns?: string[];
  @Field.timestamp({ doc: 'a stamp', optional: true }) timestamp?: number;
  @Field.object(() => Inner, { doc: 'an object', optional: true }) inner?: Inner;
  @Field.list(() => Inner, { doc: 'objects', optional: true, maxItems: 2 }) list?: Inner[];
  @Field.int({ doc: 'server only', optional: true, readOnly: true, name: 'server.only' }) serverOnly?: number;
}

describe('parseInput', () => {
  it('reads texts of a query into their types', () => {
    const { value, problems } = parseInput(
      Sample,
      { count: '7', flag: 'false', id: '12', columns: '1, 200,title', timestamp: '9223372036854775807' },
      'text',
    );
    expect(problems).toEqual([]);
    expect(value).toMatchObject({ count: 7, flag: false, id: '12', columns: ['1', '200', 'title'] });
    expect(value.timestamp).toBeGreaterThan(9e18);
  });

  it('reports every bad field at once and tells missing from invalid', () => {
    const { problems } = parseInput(Sample, { flag: 'maybe', title: 'too long' }, 'text');
    expect(problems.map(({ kind, name }) => [kind, name])).toEqual([
      ['missing', 'count'],
      ['invalid', 'flag'],
      ['invalid', 'title'],
    ]);
  });

  it.each([['1e3'], ['0x10'], ['7.5'], ['11'], ['0'], ['NaN']])('refuses the number %s', (count) => {
    expect(parseInput(Sample, { count }, 'text').problems).toMatchObject([{ kind: 'invalid', name: 'count' }]);
  });

  it('does not coerce values of a JSON body, except ids', () => {
    const { value, problems } = parseInput(Sample, { count: '7', id: 12 }, 'json');
    expect(problems).toMatchObject([{ kind: 'invalid', name: 'count', value: '7' }]);
    expect(value.id).toBe('12');
  });

  it('takes null for an optional field and refuses it for a required one', () => {
    expect(parseInput(Sample, { count: 1, title: null }, 'json')).toMatchObject({
      value: { title: null },
      problems: [],
    });
    expect(parseInput(Sample, { count: null }, 'json').problems).toMatchObject([{ kind: 'missing', name: 'count' }]);
  });

  it('names the path of a bad field inside objects and lists', () => {
    const input = { count: 1, inner: { size: -1 }, list: [{ size: 1 }, {}] };
    expect(parseInput(Sample, input, 'json').problems.map(({ name }) => name)).toEqual(['inner.size', 'list[1].size']);
  });

  it('refuses lists that are too long', () => {
    const list = [{ size: 1 }, { size: 1 }, { size: 1 }];
    expect(parseInput(Sample, { count: 1, list }, 'json').problems).toMatchObject([{ name: 'list' }]);
  });

  it('drops unknown and read-only fields and survives hostile names', () => {
    const { value, problems } = parseInput(
      Sample,
      JSON.parse('{"count":1,"server.only":5,"__proto__":{"flag":true},"constructor":1,"extra":[]}'),
      'json',
    );
    expect(problems).toEqual([]);
    expect(value.flag).toBeUndefined();
    expect(Object.keys(value)).toEqual(['count']);
  });

  it('writes wire names back', () => {
    expect(toWire(Sample, { count: 2, serverOnly: 3 })).toEqual({ count: 2, 'server.only': 3 });
  });
});
