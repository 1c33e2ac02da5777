import type { AdministratorCheck } from '@groupware/contracts';
import { administratorCheck } from './administrator-check';

const check = (answer: AdministratorCheck, call: { contextId?: number; contextAdmin?: boolean } = {}) =>
  administratorCheck({ call: async () => answer as never })(
    { login: 'who', password: 'secret' },
    { contextId: undefined, contextAdmin: false, remoteAddress: '192.0.2.1', deadline: 0, requestId: 'r', ...call },
  );

describe('the answer of the identity service about an administrator', () => {
  it('makes a reseller responsible only when it says so', async () => {
    for (const responsible of [undefined, false])
      expect(await check({ accepted: true, reseller: 'west', responsible }, { contextId: 5 })).toMatchObject({
        principal: { kind: 'reseller', reseller: 'west' },
        isResponsible: false,
      });
    const own = await check({ accepted: true, reseller: 'west', responsible: true }, { contextId: 5 });
    expect(own?.isResponsible).toBe(true);
  });

  it('makes the administrator of a context responsible for the context asked about only', async () => {
    const isResponsible = async (call: object, userId: number | undefined = 2) =>
      (await check({ accepted: true, userId }, call))?.isResponsible;
    expect(await isResponsible({ contextId: 5, contextAdmin: true })).toBe(true);
    expect(await isResponsible({ contextAdmin: true })).toBe(false);
    expect(await isResponsible({ contextId: 5 })).toBe(false);
    expect(await check({ accepted: true }, { contextId: 5, contextAdmin: true })).toMatchObject({
      isResponsible: false,
    });
  });

  it('refuses whoever was not accepted', async () => {
    expect(await check({ accepted: false, reseller: 'west', responsible: true })).toBeUndefined();
  });
});
