import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { Field, fieldsOf, lenient } from './field';
import { MAX_BAD_ITEMS, parseInput, toWire } from './parse';

class Inner {
  @Field.int({ doc: 'a number', min: 0 }) size!: number;
}
class Sample {
  @Field.int({ doc: 'a number', min: 1, max: 10 }) count!: number;
  @Field.boolean({ doc: 'a flag', optional: true }) flag?: boolean;
  @Field.id({ doc: 'an id', optional: true }) id?: string;
  @Field.text({ doc: 'a text', optional: true, maxLength: 5 }) title?: string;
  @Field.text({ doc: 'a text, also an empty one', optional: true, keepsEmpty: true }) name?: string;
  @Field.columns({ doc: 'columns', optional: true }) columns?: string[];
  @Field.timestamp({ doc: 'a stamp', optional: true }) timestamp?: number;
  @Field.object(() => Inner, { doc: 'an object', optional: true }) inner?: Inner;
  @Field.list(() => Inner, { doc: 'objects', optional: true, maxItems: 2 }) list?: Inner[];
  @Field.int({ doc: 'a number, also as text', optional: true, loose: true, max: 10 }) loose?: number;
  @Field.int({ doc: 'server only', optional: true, readOnly: true, name: 'server.only' }) serverOnly?: number;
}

class Vendored {
  @Field.int({ doc: 'a number', optional: true, name: 'com.openexchange.spec.size' }) size?: number;
}
class Around {
  @Field.object(() => Vendored, { doc: 'an object' }) inner!: Vendored;
}

class Stricter extends Sample {
  @Field.id({ doc: 'an id' }) override id!: string;
}

describe('parseInput', () => {
  it('misses what a model requires and its parent does not', () => {
    expect(parseInput(Stricter, { count: 1 }, 'json').problems).toMatchObject([{ kind: 'missing', name: 'id' }]);
    expect(parseInput(Stricter, { count: 1, id: '1' }, 'json').problems).toEqual([]);
  });

  it('takes names of both vendors, the own one first', () => {
    const [ours, original] = ['com.example.spec.size', 'com.openexchange.spec.size'];
    for (const source of ['json', 'text'] as const) {
      expect(parseInput(Vendored, { [ours]: 1 }, source)).toMatchObject({ value: { size: 1 }, problems: [] });
      expect(parseInput(Vendored, { [original]: 1, [ours]: 2 }, source).value.size).toBe(1);
    }
    expect(parseInput(Around, { inner: { [ours]: 1 } }, 'json').value.inner).toEqual({ size: 1 });
    expect(toWire(Vendored, { size: 1 })).toEqual({ [original]: 1 });
  });

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

  it('drops the prefix of a number in a query', () => {
    class Prefixed {
      @Field.int({ doc: 'a number', prefix: /^a:/ }) number!: number;
    }
    expect(parseInput(Prefixed, { number: 'a:7' }, 'text')).toMatchObject({ value: { number: 7 }, problems: [] });
    expect(parseInput(Prefixed, { number: 'b:7' }, 'text').problems).toMatchObject([{ name: 'number' }]);
  });

  it('takes values that break a rule as absent in a lenient query', () => {
    class Tolerant {
      @Field.int({ doc: 'a number', optional: true, min: 1 }) size?: number;
      @Field.boolean({ doc: 'a flag', optional: true }) flag?: boolean;
      @Field.text({ doc: 'a text', optional: true, maxLength: 3 }) text?: string;
    }
    const { value, problems } = parseInput(lenient(Tolerant), { size: '0', flag: 'maybe', text: 'long' }, 'text');
    expect([Object.keys(value), problems]).toEqual([[], []]);
    expect(parseInput(lenient(Tolerant), { size: '2', flag: '1' }, 'text').value).toEqual({ size: 2, flag: true });
    expect(parseInput(Tolerant, { size: '0' }, 'text').problems).toHaveLength(1);
  });

  it.each([['text'], [7], [null], [[]]])('refuses %j as an element of a list of objects', (element) => {
    const { problems } = parseInput(Sample, { count: 1, list: [{ size: 1 }, element] }, 'json');
    expect(problems.map(({ kind, name }) => [kind, name])).toEqual([['invalid', expect.stringMatching(/^list/)]]);
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

  it('reads simple values of a client body in every form that clients send', () => {
    for (const flag of [true, 1, '1', 'true', ' TRUE '])
      expect(parseInput(Sample, { count: '7', flag }, 'json')).toMatchObject({
        value: { count: 7, flag: true },
        problems: [],
      });
    for (const flag of [false, 0, '0', 'false'])
      expect(parseInput(Sample, { count: 7, flag }, 'json')).toMatchObject({ value: { flag: false }, problems: [] });
  });

  it.each([
    ['flag', 2],
    ['flag', 'yes'],
    ['flag', []],
    ['timestamp', true],
    ['timestamp', '1.5'],
    ['timestamp', {}],
  ])('refuses a client body whose %s is %j', (name, value) => {
    expect(parseInput(Sample, { count: 7, [name]: value }, 'json').problems).toMatchObject([{ kind: 'invalid', name }]);
  });

  it('does not coerce values of a strict JSON body, except ids', () => {
    const { value, problems } = parseInput(Sample, { count: '7', id: 12 }, 'strictJson');
    for (const flag of [1, '1', 'true'])
      expect(parseInput(Sample, { count: 7, flag }, 'strictJson').problems).toMatchObject([{ name: 'flag' }]);
    expect(problems).toMatchObject([{ kind: 'invalid', name: 'count', value: '7' }]);
    expect(value.id).toBe('12');
  });

  it('coerces texts of a strict JSON body where a field is declared loose', () => {
    const read = (loose: unknown) => parseInput(Sample, { count: 1, loose }, 'strictJson');
    expect(read(' 7 ')).toMatchObject({ value: { loose: 7 }, problems: [] });
    expect(read('')).toMatchObject({ value: { loose: null }, problems: [] });
    for (const bad of ['11', '7.5', 'x', true]) expect(read(bad).problems).toMatchObject([{ name: 'loose' }]);
  });

  it('leaves out an empty text of a form unless its field keeps it', () => {
    const { value, problems } = parseInput(Sample, { count: '1', title: '', name: '' }, 'text');
    expect([problems, 'title' in value, value.name]).toEqual([[], false, '']);
  });

  it('takes null for an optional field and refuses it for a required one', () => {
    expect(parseInput(Sample, { count: 1, title: null }, 'json')).toMatchObject({
      value: { title: null },
      problems: [],
    });
    expect(parseInput(Sample, { count: null }, 'json').problems).toMatchObject([{ kind: 'missing', name: 'count' }]);
  });

  it('takes an empty text of a JSON body for null where a value of another kind may be absent', () => {
    expect(parseInput(Sample, { count: 1, flag: '', timestamp: '', title: '' }, 'json')).toMatchObject({
      value: { flag: null, timestamp: null, title: '' },
      problems: [],
    });
    expect(parseInput(Sample, { count: '', id: '' }, 'json').problems.map(({ name }) => name)).toEqual(['count', 'id']);
  });

  it('takes a parameter that counts by its presence for true, whatever its value', () => {
    class Present {
      @Field.presence({ doc: 'a switch' }) present?: boolean;
    }
    for (const present of ['', 'false', 'x', 'true'])
      expect(parseInput(Present, { present }, 'text')).toEqual({ value: { present: true }, problems: [] });
    expect(parseInput(Present, {}, 'text').value.present).toBeUndefined();
  });

  it('tells column, length and limit of a text that is too long', () => {
    class Titled {
      @Field.text({ doc: 'a title', column: 200, maxLength: 3 }) title!: string;
      @Field.text({ doc: 'no column', maxLength: 3 }) other!: string;
    }
    const { problems } = parseInput(Titled, { title: 'four', other: 'four' }, 'json');
    expect(problems.map(({ tooLong }) => tooLong)).toEqual([{ column: 200, length: 4, limit: 3 }, undefined]);
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

  it('never takes the short cut past class-validator with a value that it would refuse', () => {
    class Everything {
      @Field.int({ doc: 'an int', min: -3, max: 10 }) int!: number;
      @Field.int({ doc: 'one of some', values: [1, 2] }) choice!: number;
      @Field.number({ doc: 'a number', max: 5 }) number!: number;
      @Field.text({ doc: 'a text', minLength: 1, maxLength: 3 }) text!: string;
      @Field.text({ doc: 'a word', values: ['a', 'b'] }) word!: string;
      @Field.text({ doc: 'a pattern', pattern: /^x/ }) pattern!: string;
      @Field.id({ doc: 'an id' }) id!: string;
      @Field.boolean({ doc: 'a flag' }) flag!: boolean;
      @Field.time({ doc: 'a time' }) time!: number;
      @Field.date({ doc: 'a day' }) date!: number;
      @Field.timestamp({ doc: 'a stamp' }) timestamp!: number;
      @Field.columns({ doc: 'columns' }) columns!: string[];
    }
    const values = fc.oneof(
      fc.integer({ min: -12, max: 12 }),
      fc.double(),
      fc.maxSafeInteger(),
      fc.string({ maxLength: 5 }),
      fc.constantFrom<unknown>('a', 'x', true, null, undefined, NaN, '', new Array(201).fill('1'), 2 ** 31),
      fc.anything(),
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.constantFrom(...fieldsOf(Everything)), values, (field, value) => {
        if (!field.surelyValid?.(value)) return;
        taken++;
        const target = Object.assign(new Everything(), { [field.property]: value });
        const refused = validateSync(target, { forbidUnknownValues: false }).map(({ property }) => property);
        expect(refused).not.toContain(field.property);
      }),
      { numRuns: 3_000 },
    );
    expect(taken).toBeGreaterThan(300);
  });

  it('refuses what class-validator refuses, wherever it is, and nothing else', () => {
    class Part {
      @Field.int({ doc: 'a number', min: 0, optional: true }) size?: number;
      @Field.text({ doc: 'a text', pattern: /^x/, optional: true }) text?: string;
      @Field.listOf('id', { doc: 'ids', maxItems: 2, optional: true }) ids?: string[];
    }
    class Whole {
      @Field.object(() => Part, { doc: 'an object', optional: true }) part?: Part;
      @Field.list(() => Part, { doc: 'objects', maxItems: 3 }) parts!: Part[];
      @Field.listOf('int', { doc: 'numbers', maxItems: 3, optional: true }) numbers?: number[];
      @Field.any({ doc: 'anything', optional: true }) any?: unknown;
    }
    const value = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<unknown>(1, 'x', ['1'], [1, 2]) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(-1, null, 'y', {}, [], [null], ['1', '2', '3'], true, 0.5) },
    );
    const part = fc.oneof(
      { weight: 8, arbitrary: fc.record({ size: value, text: value, ids: value }, { requiredKeys: [] }) },
      { weight: 1, arbitrary: value },
    );
    const parts = fc.oneof({ weight: 8, arbitrary: fc.array(part, { maxLength: 4 }) }, { weight: 1, arbitrary: value });
    const whole = fc.record({ part, parts, numbers: value, any: fc.anything() }, { requiredKeys: ['parts'] });
    let good = 0;
    fc.assert(
      fc.property(whole, (input) => {
        const { value: read, problems } = parseInput(Whole, input, 'json');
        const errors = validateSync(read, { stopAtFirstError: true, forbidUnknownValues: false });
        if (errors.length === 0) good++;
        expect(new Set(problems.map(({ name }) => name.split(/[.[]/)[0]))).toEqual(
          new Set(errors.map(({ property }) => property)),
        );
      }),
      { numRuns: 3_000 },
    );
    expect(good).toBeGreaterThan(20);
  });

  it('tells the first bad elements of a long list by their places, and not thousands of them', () => {
    class Long {
      @Field.list(() => Inner, { doc: 'objects' }) list!: Inner[];
    }
    const list = Array.from({ length: 10_000 }, (_none, index) => ({ size: index < 5_000 ? 1 : -1 }));
    const { problems } = parseInput(Long, { list }, 'json');
    expect(problems).toHaveLength(MAX_BAD_ITEMS);
    expect(problems[0]).toMatchObject({ kind: 'invalid', name: 'list[5000].size', value: '-1' });
  });

  it('writes wire names back', () => {
    expect(toWire(Sample, { count: 2, serverOnly: 3 })).toEqual({ count: 2, 'server.only': 3 });
  });
});
