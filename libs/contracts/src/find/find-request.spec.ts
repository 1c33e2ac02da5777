import { listFacets, listLongQueries, parseFindPage, parseFindRequest, splitTokens } from './find-request';

const NAME = { id: 'name', style: 'simple', field: 'name', text: 'find.name' } as const;
const fails = (code: string) => expect.objectContaining({ code });

describe('what is typed', () => {
  it('FI-03 FI-04 is split at blanks, except within quotes; short words go where there are longer ones', () => {
    expect(splitTokens(' a "b c"  d"e f', 0)).toEqual(['a', 'b c', 'd', 'e f']);
    expect(splitTokens('ab cde', 3)).toEqual(['cde']);
    expect(splitTokens('ab', 3)).toEqual(['ab']);
    expect(splitTokens('  ', 0)).toEqual([]);
  });

  it('FI-04 gives no facet of a text that is too short', () => {
    const question = { request: parseFindRequest({}, []), locale: 'en', values: {}, folderTypes: ['private'] as const };
    const of = (prefix: string) => listFacets([NAME], { ...question, prefix, minLength: 3 }).map(({ id }) => id);
    expect([of('ab'), of('abc')]).toEqual([['folder_type'], ['name', 'folder_type']]);
  });
});

describe('chosen values', () => {
  it('FI-38 of an exclusive facet are the last one', () => {
    const state = { id: 'state', style: 'exclusive', field: 'state', text: 'find.status' } as const;
    const option = (value: string) => ({ facet: 'state', value, filter: { fields: ['state'], queries: [value] } });
    const name = (text: string) => ({ facet: 'name', value: 'name', filter: { fields: ['name'], queries: [text] } });
    const facets = [option('1'), name('a'), option('2'), name('b')];
    const { active } = parseFindRequest({ facets }, [NAME, state]);
    expect(active).toEqual([name('a'), option('2'), name('b')]);
  });
});

describe('queries', () => {
  it('FI-05 are refused when all are too short, wildcards not counted', () => {
    expect(listLongQueries(['ab', 'abc'], 3)).toEqual(['abc']);
    expect(() => listLongQueries(['ab*'], 3)).toThrow(fails('FIND-0010'));
  });
});

describe('pages', () => {
  it('are the first one unless both numbers are there', () => {
    const first = { start: 0, size: 20 };
    expect(parseFindPage({ start: 5, size: 2 }, 100)).toEqual({ start: 5, size: 2 });
    for (const body of [{}, { start: 5 }, { size: 5 }, { start: -1, size: 5 }, { start: 1, size: -1 }])
      expect(parseFindPage(body, 100)).toEqual(first);
    expect(() => parseFindPage({ start: 0, size: 101 }, 100)).toThrow(fails('FIND-0019'));
  });
});
