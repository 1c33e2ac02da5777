import { findLocale, normalizeLocale, normalizeTimeZone } from '@groupware/contracts';
import { parseEntityId } from './entity-id';
import { parseLoginName } from './login-name';
import { toLikePattern, toSearchPattern } from './search-pattern';

describe('texts people type', () => {
  it.each([
    ['u@acme', { user: 'u', mapping: 'acme' }],
    ['U@Acme.Example', { user: 'U', mapping: 'acme.example' }],
    ['a@b@c', { user: 'a@b', mapping: 'c' }],
    [' bare ', { user: 'bare', mapping: 'default' }],
    ['@x', { user: '', mapping: 'x' }],
  ])('the login %j is split at the last @', (text, expected) => {
    expect(parseLoginName(text, 'Default')).toEqual(expected);
  });

  it.each([
    ['de_DE', 'de_DE'],
    ['de-de', 'de_DE'],
    ['EN', 'en'],
    ['es_419', 'es_419'],
  ])('the locale %s becomes %s', (text, expected) => {
    expect(normalizeLocale(text)).toBe(expected);
  });

  it.each([['x'], ['xx'], ['de_YY'], ['de_'], ['german'], ['de_DE_x'], ['../..']])('%s is no locale', (text) => {
    expect(() => normalizeLocale(text)).toThrow(expect.objectContaining({ code: 'USR-0023' }));
  });

  it.each([
    ['de', 'de_DE'],
    ['EN', 'en_US'],
    ['de-at', 'de_AT'],
    ['zh-Hans-CN', undefined],
    ['C', undefined],
    ['xx', undefined],
  ])('the tag %s of a client stands for %s', (text, expected) => {
    expect(findLocale(text)).toBe(expected);
  });

  it('time zones are names of the zone database', () => {
    expect(normalizeTimeZone('Europe/Berlin')).toBe('Europe/Berlin');
    for (const text of ['Mars/Base', '+01:00', ''])
      expect(() => normalizeTimeZone(text)).toThrow(expect.objectContaining({ code: 'USR-0024' }));
  });

  it.each([
    ['a*b?c', 'a%b_c'],
    ['100%_\\', '100\\%\\_\\\\'],
  ])('the pattern %s becomes %s', (text, expected) => {
    expect(toLikePattern(text)).toBe(expected);
  });

  it('a word of the REST API is any part, or a pattern where it has a star', () => {
    expect(toSearchPattern('ann')).toBe('%ann%');
    expect(toSearchPattern('a?_*')).toBe('a?\\_%');
  });

  it.each([
    ['7', 7],
    ['0', 0],
    ['-1', undefined],
    ['7a', undefined],
    ['', undefined],
    ['99999999999', undefined],
    ['2147483648', undefined],
  ])('the id %j is %j', (text, expected) => {
    expect(parseEntityId(text)).toBe(expected);
  });
});
