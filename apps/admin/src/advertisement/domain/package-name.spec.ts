import { names, packageOf } from './package-name';

const account = { accessCombination: 'premium', taxonomyTypes: ['gold', 'north'] };

describe('the package of a user', () => {
  it('is found by the scheme of the reseller', () => {
    expect(packageOf(account, 'Global', ['gold'])).toBe('default');
    expect(packageOf(account, 'AccessCombinations', ['gold'])).toBe('premium');
    expect(packageOf({ ...account, accessCombination: null }, 'AccessCombinations', [])).toBe('default');
  });

  it('is the first of the types of the reseller that the context has', () => {
    expect(packageOf(account, 'TaxonomyTypes', ['silver', 'north', 'gold'])).toBe('north');
    expect(packageOf(account, 'TaxonomyTypes', ['silver'])).toBe('default');
  });

  it('comes from a list that people write', () => {
    expect(names(' gold, ,silver,')).toEqual(['gold', 'silver']);
    expect(names('')).toEqual([]);
  });
});
