import { listEqualValues, MAX_TERMS, parseSearchTerm } from './search-term';

const x = { field: 'x' };

describe('search terms', () => {
  it('are lists that begin with an operator', () => {
    expect(parseSearchTerm(['AND', ['=', x, 'a'], ['Not', ['isNull', x]], ['or', ['equals', x, 1]]])).toEqual({
      operator: 'and',
      terms: [
        { operator: '=', field: 'x', value: 'a' },
        { operator: 'not', term: { operator: 'isNull', field: 'x' } },
        { operator: 'or', terms: [{ operator: '=', field: 'x', value: 1 }] },
      ],
    });
  });

  it.each([
    ['<', '>'],
    ['<=', '>='],
    ['=', '='],
    ['<>', '<>'],
  ])('may have the field on the right side: %s', (operator, exchanged) => {
    expect(parseSearchTerm([operator, 5, x])).toEqual({ operator: exchanged, field: 'x', value: 5 });
  });

  it.each([
    [[], 'SEARCH-0002'],
    [[['and']], 'SEARCH-0002'],
    [['and'], 'SEARCH-0003'],
    [['='], 'SEARCH-0003'],
    [['=', x], 'SEARCH-0003'],
    [['not'], 'SEARCH-0003'],
    [['isNull'], 'SEARCH-0003'],
    ['text', 'SEARCH-0004'],
    [['and', 'text'], 'SEARCH-0004'],
    [['=', {}, 1], 'SEARCH-0005'],
    [['=', 1, 2], 'SEARCH-0005'],
    [['=', x, x], 'SEARCH-0005'],
    [['=', x, null], 'SEARCH-0005'],
    [['=', x, [1]], 'SEARCH-0005'],
    [['like', x, 1], 'SEARCH-0006'],
    [['constructor', x, 1], 'SEARCH-0006'],
  ])('%j is refused with %s', (term, code) => {
    expect(() => parseSearchTerm(term)).toThrow(expect.objectContaining({ code }));
  });

  it('are limited in depth and size', () => {
    let deep: unknown = ['isNull', x];
    for (let level = 0; level < 70; level += 1) deep = ['not', deep];
    expect(() => parseSearchTerm(deep)).toThrow(expect.objectContaining({ code: 'SEARCH-0004' }));
    const wide = ['or', ...Array.from({ length: MAX_TERMS }, () => ['isNull', x])];
    expect(() => parseSearchTerm(wide)).toThrow(expect.objectContaining({ code: 'SEARCH-0004' }));
  });

  it('tell with which values a field is compared', () => {
    const term = parseSearchTerm(['and', ['or', ['=', x, 1], ['=', x, 2]], ['not', ['=', x, 3]], ['<', x, 4]]);
    expect(listEqualValues(term, 'x')).toEqual([1, 2]);
  });
});
