import { parseNames, resolvePackageName } from './package-name';

const account = { accessCombination: 'premium', taxonomyTypes: ['gold', 'north'] };

describe('the package of a user', () => {
  it('is found by the scheme of the reseller', () => {
    expect(resolvePackageName(account, 'Global', ['gold'])).toBe('default');
    expect(resolvePackageName(account, 'AccessCombinations', ['gold'])).toBe('premium');
    expect(resolvePackageName({ ...account, accessCombination: null }, 'AccessCombinations', [])).toBe('default');
  });

  it('is the first of the types of the reseller that the context has', () => {
    expect(resolvePackageName(account, 'TaxonomyTypes', ['silver', 'north', 'gold'])).toBe('north');
    expect(resolvePackageName(account, 'TaxonomyTypes', ['silver'])).toBe('default');
  });

  it('comes from a list that people write', () => {
    expect(parseNames(' gold, ,silver,')).toEqual(['gold', 'silver']);
    expect(parseNames('')).toEqual([]);
  });
});
