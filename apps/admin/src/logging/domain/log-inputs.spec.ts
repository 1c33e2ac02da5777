import { parseCategories, isAllowed, parseLevel, parseLevels } from './log-inputs';

describe('what operators write', () => {
  it('is a level in any case', () => {
    expect(['debug', ' Trace ', 'OFF'].map(parseLevel)).toEqual(['DEBUG', 'TRACE', 'OFF']);
    for (const body of ['', 'LOUD', 3, null, undefined, ['DEBUG'], {}, 'toString'])
      expect(() => parseLevel(body)).toThrow(/SVL-0031/);
  });

  it('is several levels, the last of a name counts', () => {
    const body = [
      { name: 'a', level: 'INFO' as const },
      { name: 'b', level: 'OFF' as const },
      { name: 'a', level: 'debug' as never },
    ];
    expect(parseLevels(body)).toEqual({ a: 'DEBUG', b: 'OFF' });
  });

  it('is categories: a list, one name or an object', () => {
    expect(parseCategories(['WARNING', 'error', 'ERROR'])).toEqual(['ERROR', 'WARNING']);
    expect(parseCategories('capacity')).toEqual(['CAPACITY']);
    expect(parseCategories({ categories: ['CONFLICT'] })).toEqual(['CONFLICT']);
    expect(parseCategories([])).toEqual([]);
    for (const body of ['LOUD', ['ERROR', 'X'], [3], null, {}, { categories: {} }, 'constructor'])
      expect(() => parseCategories(body)).toThrow(/SVL-0031/);
  });

  it('names loggers, those of a list and the ones below them', () => {
    expect(isAllowed('calendar.import', '')).toBe(true);
    expect(isAllowed('calendar.import', 'calendar, gateway')).toBe(true);
    expect(isAllowed('calendars', 'calendar')).toBe(false);
    expect(isAllowed('root', 'calendar')).toBe(false);
  });
});
