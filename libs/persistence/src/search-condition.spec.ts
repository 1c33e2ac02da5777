import { parseSearchTerm } from '@groupware/contracts';
import {
  compileSearchTerm,
  containsEach,
  matchesWildcards,
  toWildcardPattern,
  type SearchField,
  type SearchFields,
} from './search-condition';

const fields: SearchFields = new Map<string, SearchField>([
  ['name', { kind: 'text', sql: 'a.name' }],
  ['size', { kind: 'number', sql: 'a.size' }],
  ['open', { kind: 'boolean', sql: 'a.open' }],
  ['tags', { kind: 'list', matches: (bind, text) => `a.tag = ${bind(text, 'text')}`, isNull: 'a.tags = 0' }],
]);
const compile = (term: unknown) => compileSearchTerm(parseSearchTerm(term), fields, 3);
const name = { field: 'name' };

describe('compiled search terms', () => {
  it('bind every value', () => {
    expect(
      compile([
        'and',
        ['=', name, "x'; drop table a; --"],
        ['or', ['>', { field: 'size' }, '5'], ['=', { field: 'open' }, 'TRUE']],
      ]),
    ).toEqual({
      where:
        '((lower(a.name collate "und-x-icu") = lower($3::text collate "und-x-icu")) and (a.size > $4::bigint or a.open = $5::boolean))',
      values: ["x'; drop table a; --", 5, true],
    });
  });

  it('know wildcards in comparisons for equality', () => {
    expect(compile(['<>', name, 'a*%']).where).toBe(
      'not (lower(a.name collate "und-x-icu") like lower($3::text collate "und-x-icu"))',
    );
    expect(compile(['<>', name, 'a*%']).values).toEqual(['a%\\%']);
    expect(toWildcardPattern('a?b\\*c_')).toBe('a_b*c\\_');
    expect(compile(['=', name, '5\\*'])).toMatchObject({ values: ['5*'] });
  });

  it('know fields that are no columns, and missing values', () => {
    expect(compile(['not', ['isNull', { field: 'tags' }]]).where).toBe('not ((a.tags = 0))');
    expect(compile(['isNull', name]).where).toBe('a.name is null');
    expect(compile(['=', { field: 'tags' }, 7])).toEqual({ where: '(a.tag = $3::text)', values: ['7'] });
    expect(compile(['>', name, 'b']).where).toContain(' > ');
  });

  it.each([
    [['=', { field: 'nothing' }, 1]],
    [['=', { field: 'constructor' }, 1]],
    [['=', { field: 'size' }, 'many']],
    [['=', { field: 'size' }, 1.5]],
    [['=', { field: 'open' }, 1]],
    [['<', { field: 'tags' }, 'a']],
  ])('%j is refused', (term) => {
    expect(() => compile(term)).toThrow(expect.objectContaining({ code: 'SEARCH-0005' }));
  });
});

describe('texts without escapes', () => {
  const bound = (condition: (bind: (value: unknown) => string) => string): unknown[] => {
    const values: unknown[] = [];
    condition((value) => `$${values.push(value)}`);
    return values;
  };

  it.each([
    ['C:\\', 'C:\\'],
    ['C:\\*', 'C:\\\\%'],
    ['C:\\?*', 'C:\\\\_%'],
    ['100%_*', '100\\%\\_%'],
  ])('%j is compared as %j', (text, value) => {
    expect(bound((bind) => matchesWildcards('a.name', text, bind))).toEqual([value]);
  });

  it('are contained with a backslash at their end', () => {
    expect(bound((bind) => containsEach(['a.name', 'a.note'], ['C:\\'], bind))).toEqual(['%C:\\\\%', '%C:\\\\%']);
  });
});
