import { readCategories, toCategoryCriteria } from './mail-category';

const settings: Readonly<Record<string, string>> = {
  'promotion.flag': '$promotion',
  'uc1.flag': '$uc1',
  'asleep.flag': '$asleep',
  'asleep.active': 'false',
  'forced.flag': '$forced',
  'forced.active': 'false',
  'forced.force': 'true',
  'broken.flag': 'a) DELETED',
  'general.flag': '$general',
};
const read = (system: string, user = '') => readCategories(system, user, (key) => settings[key]);
const textOf = (id: string, categories = read('promotion', 'uc1')) =>
  toCategoryCriteria(id, categories)
    ?.map((token) => (token as { value: string }).value)
    .join(' ');

describe('categories of mails', () => {
  it('need a keyword, and may be left out', () => {
    expect(read(' promotion, asleep,forced,broken,general,none', 'uc1,promotion')).toEqual([
      { id: 'promotion', flag: '$promotion', isOfUser: false },
      { id: 'forced', flag: '$forced', isOfUser: false },
      { id: 'uc1', flag: '$uc1', isOfUser: true },
    ]);
  });

  it('of users go before those of the system', () => {
    expect(textOf('promotion')).toBe('KEYWORD $promotion UNKEYWORD $uc1');
    expect(textOf('uc1')).toBe('KEYWORD $uc1');
    expect(textOf('general')).toBe('UNKEYWORD $promotion UNKEYWORD $uc1');
    expect(textOf('general', [])).toBe('ALL');
    expect(textOf('unknown')).toBeUndefined();
  });
});
