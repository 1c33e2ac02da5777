import { APP_PASSWORD_TYPES, APP_SCOPES } from '@groupware/contracts';
import { hashAppPassword, isAppPasswordFormat, generateAppPassword } from './app-password-format';
import { parseAppTypes } from './app-types';

describe('texts of application passwords', () => {
  it('have 19 characters in four groups, no two alike', () => {
    const made = Array.from({ length: 500 }, generateAppPassword);
    for (const password of made) {
      expect(password).toHaveLength(19);
      expect(isAppPasswordFormat(password)).toBe(true);
      expect(hashAppPassword(password)).not.toContain(password.slice(0, 4));
    }
    expect(new Set(made).size).toBe(500);
  });

  it.each(['correct horse 1', 'abcd-efgh', 'ABCD-EFGH-JKLM-NPQR', 'abcd-efgh-jkmn-pqrs-tuvw', ''])(
    '%j is none',
    (text) => {
      expect(isAppPasswordFormat(text)).toBe(false);
    },
  );
});

describe('kinds of applications', () => {
  it('are read in their order; entries without name or scopes are left out', () => {
    expect(parseAppTypes('a=Title A|x y ; =none|z;b|q;c= |z;d=D|')).toEqual([
      { name: 'a', displayName: 'Title A', scopes: ['x', 'y'] },
      { name: 'c', displayName: 'c', scopes: ['z'] },
    ]);
  });

  it('by default cover the modules that users know', () => {
    const names = parseAppTypes(APP_PASSWORD_TYPES.default).map(({ name }) => name);
    expect(names).toEqual([
      ...['mail', 'calendar', 'contacts', 'tasks', 'drive'],
      ...['caldav', 'carddav', 'dav', 'webdav', 'eas'],
    ]);
    for (const { scopes } of parseAppTypes(APP_PASSWORD_TYPES.default))
      expect(APP_SCOPES).toEqual(expect.arrayContaining([...scopes]));
  });
});
