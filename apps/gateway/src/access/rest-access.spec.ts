import { RequestErrors, type Operation, type UserPrincipal } from '@groupware/contracts';
import type { UserCheck } from '../edge/ports';
import { CountingAttempts } from '../testing/edge.harness';
import { RestAccess } from './rest-access';

const operation = (parts: Partial<Operation>): Operation => ({ auth: 'userBasic', ...parts }) as Operation;
const ann = { kind: 'user', contextId: 1, userId: 2, login: 'ann' } as unknown as UserPrincipal;
const header = (login: string, password: string) => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;

describe('users by HTTP Basic', () => {
  const asked: unknown[] = [];
  const check: UserCheck = async ({ login, password }, { scopes, remoteAddress }) => {
    asked.push({ login, scopes, remoteAddress });
    if (password === 'lost') throw RequestErrors.outcomeUnknown('authentication');
    return password === 'right' ? ann : undefined;
  };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const master = { login: 'master', password: 'right' };
  const access = new RestAccess(
    { master, service: master },
    async () => undefined,
    check,
    new CountingAttempts(2),
    log,
  );
  const call = (authorization: string | undefined, parts: Partial<Operation> = {}) =>
    access.principalOf(operation(parts), {
      authorization,
      remoteAddress: '192.0.2.1',
      contextId: undefined,
      deadline: 0,
      requestId: 'r',
    });

  it('are asked of the identity service, with the scopes of the operation', async () => {
    expect(await call(header('ann', 'right'), { appScopes: ['read_calendar'] })).toBe(ann);
    expect(asked).toEqual([{ login: 'ann', scopes: ['read_calendar'], remoteAddress: '192.0.2.1' }]);
  });

  it('hear that nothing was done when the outcome of the check is not known', async () => {
    await expect(call(header('ann', 'lost'))).rejects.toMatchObject({ code: 'SVL-0032', params: ['authentication'] });
  });

  it('get a challenge, and are slowed down when they guess', async () => {
    await expect(call(undefined)).rejects.toMatchObject({ code: 'REST-0401' });
    for (let guess = 0; guess < 2; guess++)
      await expect(call(header('ann', 'wrong'))).rejects.toMatchObject({
        code: 'REST-0401',
        details: { headers: { 'WWW-Authenticate': expect.stringMatching(/^Basic /) } },
      });
    await expect(call(header('ann', 'right'))).rejects.toMatchObject({ code: 'SVL-0019' });
  });
});
