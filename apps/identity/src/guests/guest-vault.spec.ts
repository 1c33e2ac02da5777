import type { SecretKeySettings } from '@groupware/service-kit';
import { GuestVault } from './guest-vault';

const vault = new GuestVault({ secretKeys: () => [new Uint8Array(32)] } as unknown as SecretKeySettings);
const guest = { id: 7, passwordHash: 'old hash' };
const END = 1000;

describe('tokens for new passwords of guests', () => {
  const token = vault.sealReset(1, guest, END);

  it('are those of a guest until their end', () => {
    expect(vault.isResetOf(1, guest, token, END - 1)).toBe(true);
    expect(vault.isResetOf(1, guest, token, END)).toBe(false);
  });

  it.each([
    ['another context', 2, guest],
    ['another guest', 1, { ...guest, id: 8 }],
    ['a guest with another password since', 1, { ...guest, passwordHash: 'new hash' }],
    ['a guest without password', 1, { ...guest, passwordHash: null }],
  ])('are not those of %s', (_what, contextId, other) => {
    expect(vault.isResetOf(contextId, other, token, 0)).toBe(false);
  });

  it('are no other texts', () => {
    for (const text of ['', 'x', `x${token}`, token.slice(1), vault.sealToken(1, 7, String(END))])
      expect(vault.isResetOf(1, guest, text, 0)).toBe(false);
  });
});
