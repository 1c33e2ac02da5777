import { categoriesIn, isAllowed, levelIn, levelsIn } from './log-inputs';

describe('what operators write', () => {
  it('is a level in any case', () => {
    expect(['debug', ' Trace ', 'OFF'].map(levelIn)).toEqual(['DEBUG', 'TRACE', 'OFF']);
    for (const body of ['', 'LOUD', 3, null, undefined, ['DEBUG'], {}, 'toString'])
      expect(() => levelIn(body)).toThrow(/SVL-0031/);
  });

  it('is several levels, the last of a name counts', () => {
    const body = [
      { name: 'a', level: 'INFO' as const },
      { name: 'b', level: 'OFF' as const },
      { name: 'a', level: 'debug' as never },
    ];
    expect(levelsIn(body)).toEqual({ a: 'DEBUG', b: 'OFF' });
  });

  it('is categories: a list, one name or an object', () => {
    expect(categoriesIn(['WARNING', 'error', 'ERROR'])).toEqual(['ERROR', 'WARNING']);
    expect(categoriesIn('capacity')).toEqual(['CAPACITY']);
    expect(categoriesIn({ categories: ['CONFLICT'] })).toEqual(['CONFLICT']);
    expect(categoriesIn([])).toEqual([]);
    for (const body of ['LOUD', ['ERROR', 'X'], [3], null, {}, { categories: {} }, 'constructor'])
      expect(() => categoriesIn(body)).toThrow(/SVL-0031/);
  });

  it('names loggers, those of a list and the ones below them', () => {
    expect(isAllowed('calendar.import', '')).toBe(true);
    expect(isAllowed('calendar.import', 'calendar, gateway')).toBe(true);
    expect(isAllowed('calendars', 'calendar')).toBe(false);
    expect(isAllowed('root', 'calendar')).toBe(false);
  });
});
