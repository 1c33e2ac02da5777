import { clientStart, type UserPrincipal } from '@groupware/contracts';
import { RampUpLoader } from './ramp-up';

const user: UserPrincipal = {
  ...{ kind: 'user', contextId: 1, userId: 3, groups: [0], locale: 'en_US', timeZone: 'UTC', login: 'ann' },
  ...{ capabilities: ['webmail'], displayName: 'Ann', email: 'ann@example.org', sessionId: 's' },
};

const called: { operation: unknown; principal: unknown }[] = [];
const readUsers: number[] = [];
const loader = new RampUpLoader(
  {
    findUserData: async (_context: unknown, id: number) => {
      readUsers.push(id);
      return {};
    },
  } as never,
  {
    call: async (operation: unknown, { principal }: { principal: unknown }) => {
      called.push({ operation, principal });
      return [];
    },
  } as never,
  { now: () => 0 },
  { startDataTimeoutMs: 1000 } as never,
  { list: () => ['webmail'] } as never,
);
const load = async (principal: UserPrincipal, client?: string) =>
  Object.keys(await loader.loadAll({ principal, deadline: 1000, requestId: 'r' } as never, client)).sort();

beforeEach(() => {
  called.length = 0;
  readUsers.length = 0;
});

describe('start data', () => {
  it.each([undefined, 'multifactor', 'web'])(
    'have nothing of the user before the second factor, for %s',
    async (client) => {
      expect(await load({ ...user, secondFactorPending: true }, client)).toEqual(['oauth', 'serverConfig']);
      const server = { kind: 'internal', service: 'identity', contextId: 1 };
      expect(called).toEqual([{ operation: clientStart.serverConfig, principal: server }]);
      expect(readUsers).toEqual([]);
    },
  );

  it('are whole after it, with less for its page', async () => {
    expect(await load(user, 'multifactor')).toEqual(['jslobs', 'oauth', 'serverConfig']);
    const whole = ['accounts', 'folder', 'folderlist', 'jslobs', 'oauth', 'serverConfig', 'user'];
    expect(await load(user)).toEqual(whole);
    expect(await load(user, 'web')).toEqual(whole);
  });
});
