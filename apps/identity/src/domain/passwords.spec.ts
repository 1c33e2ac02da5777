import { createHash } from 'node:crypto';
import { tellingTimes } from '@groupware/test-kit';
import { parseImportedHash, Passwords } from './passwords';

const cost = { memoryKib: 64, passes: 1, concurrency: 2, maxWaiting: 3 };

describe('Passwords', () => {
  const passwords = new Passwords(cost);

  it('knows its own hashes, which differ each time', async () => {
    const [one, two] = await Promise.all([passwords.hash('geheim'), passwords.hash('geheim')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    expect(one).not.toBe(two);
    expect(await passwords.check('geheim', one)).toEqual({ correct: true, outdated: false });
    expect(await passwords.check('Geheim', one)).toMatchObject({ correct: false });
  });

  it('finds nothing right without a hash, or with a broken one', async () => {
    expect(await passwords.check('no password is this one', undefined)).toMatchObject({ correct: false });
    expect(await passwords.check('x', 'nonsense')).toMatchObject({ correct: false });
  });

  it('hashes for unknown names as well: about as long as for known ones', async () => {
    const slow = new Passwords({ ...cost, memoryKib: 19_456, passes: 2 });
    const known = await slow.hash('x');
    await slow.check('x', undefined);
    const cases = {
      unknown: async () => void (await slow.check('y', undefined)),
      known: async () => void (await slow.check('y', known)),
    };
    expect(await tellingTimes(cases, 3)).toEqual([]);
  });

  it('tells hashes of other costs and kinds to be replaced', async () => {
    const cheap = await new Passwords({ ...cost, memoryKib: 32 }).hash('x');
    expect(await passwords.check('x', cheap)).toEqual({ correct: true, outdated: true });
    const salted = Buffer.concat([createHash('sha512').update('xsalt').digest(), Buffer.from('salt')]);
    const imported = parseImportedHash(`{ssha512}${salted.toString('base64')}`);
    expect(await passwords.check('x', imported)).toEqual({ correct: true, outdated: true });
    expect(await passwords.check('y', imported)).toMatchObject({ correct: false });
  });

  // Made by crypt(3) of the GNU C library.
  it.each([
    ['geheim', '$2b$10$abcdefghijklmnopqrstuu3qWavo/JrKRRVDF/68ERj4rQOXSVCG2'],
    ['pä€ß', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.IzkdwTC/bIJYvCHE.cW0wIhbrKEytZG'],
    ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
    ['x'.repeat(100), '$2y$05$CCCCCCCCCCCCCCCCCCCCC.D7RDOYXakZhsFmh/LdqQNx0kQ424AFS'],
  ])('checks bcrypt hashes of imports: %s', async (password, hash) => {
    for (const text of [hash, `{BCRYPT}${hash}`]) {
      const stored = parseImportedHash(text);
      expect(stored).toBe(`{BCRYPT}${hash}`);
      expect(await passwords.check(password, stored)).toEqual({ correct: true, outdated: true });
      expect(await passwords.check(`!${password}`, stored)).toEqual({ correct: false, outdated: true });
    }
  });

  it('lets others have their turn while a bcrypt hash is checked', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await passwords.check('x', parseImportedHash('$2b$14$abcdefghijklmnopqrstuu3qWavo/JrKRRVDF/68ERj4rQOXSVCG2'));
    clearInterval(timer);
    // One or two are those of the argon2 hash after it, which holds no thread of ours; more are given by bcrypt.
    expect(turns).toBeGreaterThan(2);
  });

  it('refuses more than may wait, and lets the others through', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => passwords.hash('x')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(cost.concurrency + cost.maxWaiting);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'SVL-0019' });
    expect(await passwords.hash('x')).toMatch(/^\$argon2id/);
  });
});

describe('importedHash', () => {
  const argon = '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaA';

  it('takes argon2 with and without prefix', () => {
    expect(parseImportedHash(argon)).toBe(argon);
    expect(parseImportedHash(`{ARGON2}${argon}`)).toBe(argon);
  });

  it.each([
    ['{MD5}x'],
    ['plain'],
    ['{BCRYPT}$2b$10$abc'],
    [`$2b$20$${'a'.repeat(53)}`],
    [`$2x$05$${'a'.repeat(53)}`],
    ['{SSHA512}short'],
    ['$argon2id$broken'],
  ])('refuses %s', (text) => {
    expect(() => parseImportedHash(text)).toThrow(expect.objectContaining({ code: 'PROV-0018' }));
  });
});
