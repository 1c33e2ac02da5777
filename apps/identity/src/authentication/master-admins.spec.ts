import { hashSync } from '@node-rs/argon2';
import { MasterAdmins } from './master-admins';

const hash = hashSync('a password', { memoryCost: 64, timeCost: 1 });

describe('master administrators', () => {
  it('are read with their hashes', () => {
    const masters = MasterAdmins.parse(` ann:{ARGON2}${hash}\nben:${hash} `);
    expect([masters.findHash('ann'), masters.findHash('ben'), masters.findHash('eve')]).toEqual([
      hash,
      hash,
      undefined,
    ]);
    expect(MasterAdmins.parse('').findHash('')).toBeUndefined();
  });

  it.each([
    ['a password instead of a hash', 'ann:geheim'],
    ['no login', `:${hash}`],
    ['a login twice', `ann:${hash} ann:${hash}`],
    ['no colon', 'ann'],
  ])('are refused for %s, without telling it', (_what, text) => {
    expect(() => MasterAdmins.parse(text)).toThrow(/entry \d is not another login:hash/);
    expect(() => MasterAdmins.parse(text)).not.toThrow(/geheim|argon2/);
  });
});
