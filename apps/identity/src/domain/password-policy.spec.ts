import { checkPassword, type PasswordPolicy } from './password-policy';

const policy: PasswordPolicy = { minLength: 8, maxLength: 0, pattern: '', hint: '' };
const codeOf = (password: string, parts: Partial<PasswordPolicy> = {}): string => {
  try {
    checkPassword(password, { ...policy, ...parts });
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('checkPassword', () => {
  it.each([
    ['a good password', {}, 'none'],
    ['1234567', {}, 'USR-0020'],
    ['🔑🔑🔑🔑', {}, 'USR-0020'],
    ['x'.repeat(1024), {}, 'none'],
    ['x'.repeat(1025), {}, 'USR-0021'],
    ['123456789', { maxLength: 8 }, 'USR-0021'],
    ['bell\u0007 rings', {}, 'USR-0015'],
    ['half \ud83d pair', {}, 'USR-0015'],
    ['abcdefgh', { pattern: '.*[0-9].*', hint: 'a digit' }, 'USR-0026'],
    ['abcdefg1', { pattern: '.*[0-9].*', hint: 'a digit' }, 'none'],
    ['abcdefgh', { pattern: '([' }, 'none'],
    ['abcdefg1', { pattern: '(?=.*\\d)(?=.*[a-z]).{8,}' }, 'none'],
    [`${'a'.repeat(1023)}!`, { pattern: '(a+)+', hint: 'letters' }, 'USR-0026'],
  ])('%j with %j: %s', (password, parts, code) => {
    expect(codeOf(password, parts)).toBe(code);
  });
});
