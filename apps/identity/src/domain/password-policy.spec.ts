import { monitorEventLoopDelay } from 'node:perf_hooks';
import { checkPassword, type PasswordPolicy } from './password-policy';

const policy: PasswordPolicy = { minLength: 8, maxLength: 0, pattern: '', hint: '' };
const codeOf = async (password: string, parts: Partial<PasswordPolicy> = {}): Promise<string> => {
  try {
    await checkPassword(password, { ...policy, ...parts });
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
  ])('%j with %j: %s', async (password, parts, code) => {
    expect(await codeOf(password, parts)).toBe(code);
  });

  it('holds the event loop at no time, and goes on after a pattern that would take years', async () => {
    const hold = monitorEventLoopDelay({ resolution: 5 });
    await codeOf('abcdefgh', { pattern: '[a-z]+' });
    hold.enable();
    const hostile = codeOf(`${'a'.repeat(1023)}!`, { pattern: '(a+)+' });
    const others = ['abcdefgh', 'abcdefg1'].map((password) => codeOf(password, { pattern: '[a-z]+' }));
    expect(await Promise.all([hostile, ...others])).toEqual(['USR-0026', 'none', 'USR-0026']);
    hold.disable();
    // The search ran for half a second: a loop that waits for it would be held for as long.
    expect(hold.percentile(50) / 1e6).toBeLessThan(50);
  });
});
