import { generatePassword } from './generated-password';
import { checkPassword, type PasswordPolicy } from './password-policy';

const policy = (parts: Partial<PasswordPolicy> = {}): PasswordPolicy => ({
  minLength: 8,
  maxLength: 0,
  pattern: '',
  hint: '',
  ...parts,
});

describe('generated passwords', () => {
  it.each<[string, Partial<PasswordPolicy>]>([
    ['the default policy', {}],
    ['a long minimum', { minLength: 40 }],
    ['a short maximum', { maxLength: 9 }],
    ['one character', { minLength: 1, maxLength: 1 }],
    ['classes of characters', { pattern: '(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[^a-zA-Z0-9]).*' }],
    ['letters and digits alone', { pattern: '[A-Za-z0-9]{10,12}' }],
    ['a number', { minLength: 4, pattern: '\\d{6}' }],
    ['capitals', { pattern: '[A-Z]+' }],
  ])('satisfy %s', async (_what, parts) => {
    for (let round = 0; round < 50; round++) {
      const password = await generatePassword(policy(parts));
      expect(password).toEqual(expect.any(String));
      await checkPassword(password!, policy(parts));
    }
  });

  it('are 20 characters of all kinds, each another, where the policy leaves the choice', async () => {
    const made = await Promise.all(Array.from({ length: 200 }, () => generatePassword(policy())));
    expect(new Set(made).size).toBe(200);
    for (const password of made) expect(password).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^a-zA-Z0-9]).{20}$/);
  });

  it.each<[string, Partial<PasswordPolicy>]>([
    ['contradicts itself', { minLength: 10, maxLength: 9 }],
    ['wants one word', { pattern: 'abracadabra' }],
  ])('are none for a policy that %s', async (_what, parts) => {
    expect(await generatePassword(policy(parts))).toBeUndefined();
  });
});
