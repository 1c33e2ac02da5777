import { createHash, randomBytes } from 'node:crypto';
import {
  appPasswords,
  authentication,
  LOGIN_ATTEMPTS_FROM_STRANGERS,
  LOGIN_ATTEMPTS_PER_NAME,
  MULTIFACTOR,
  provisioning,
  type UserPrincipal,
  type UserProof,
} from '@groupware/contracts';
import { tellingTimes } from '@groupware/test-kit';
import { codeOf, createEdge, startIdentity, type RunningIdentity } from '../testing/running-identity';

const PASSWORD = 'a good password';
let identity: RunningIdentity;
let contextId: number;
let address = 0;

const internal = { kind: 'internal', service: 'spec', contextId: 0 } as const;
const freshAddress = () => `198.51.${(++address >> 8) & 255}.${address & 255}`;
const proof = (login: string, password: string, parts: object = {}): Promise<UserProof> =>
  identity.call(authentication.prove, {
    principal: internal,
    query: { login, password, remoteAddress: freshAddress(), scopes: [], ...parts },
  });
const createUser = (name: string, parts: object = { password: PASSWORD }) =>
  identity.call(provisioning.createUser, {
    query: { contextId },
    body: { name, surname: name, primaryEmail: `${name}@proof.example`, ...parts },
  });

beforeAll(async () => {
  identity = await startIdentity(
    // Hashes that take some time: it is what the test measures.
    { IDENTITY_HASH_MEMORY_KIB: '8192', IDENTITY_HASH_PASSES: '2' },
    {
      [LOGIN_ATTEMPTS_FROM_STRANGERS.key]: '100000',
      [LOGIN_ATTEMPTS_PER_NAME.key]: '3',
      [MULTIFACTOR.key]: 'true',
    },
  );
  const admin = { name: 'admin', password: PASSWORD, surname: 'Min', email: 'admin@proof.example' };
  ({ id: contextId } = await identity.call(provisioning.createContext, { body: { name: 'proof', admin } }));
}, 60_000);
afterAll(() => identity?.close());

describe('credentials of users without session', () => {
  it('are the own password, and tell who it is', async () => {
    const { id } = await createUser('ann');
    const { accepted, principal } = await proof('ann@proof', PASSWORD);
    expect(accepted).toBe(true);
    expect(principal).toMatchObject({ kind: 'user', contextId, userId: id, login: 'ann', sessionId: '' });
    expect(principal!.capabilities).toContain('calendar');
    expect(await identity.sessions.listByUser(contextId, id)).toEqual([]);
    expect(await proof('ann@proof', 'wrong')).toEqual({ accepted: false });
    expect(await proof('nobody@proof', PASSWORD)).toEqual({ accepted: false });
    expect(await proof('ann@nowhere', PASSWORD)).toEqual({ accepted: false });
  });

  it('stop to open when the user is disabled, the password changes, or the context is disabled', async () => {
    const { id } = await createUser('ben');
    expect((await proof('ben@proof', PASSWORD)).accepted).toBe(true);
    const query = { contextId, userId: id };
    await identity.call(provisioning.setPassword, { query, body: { password: 'another password' } });
    expect((await proof('ben@proof', PASSWORD)).accepted).toBe(false);
    expect((await proof('ben@proof', 'another password')).accepted).toBe(true);
    await identity.call(provisioning.changeUser, { query, body: { enabled: false } });
    expect((await proof('ben@proof', 'another password')).accepted).toBe(false);
  });

  it('are application passwords within their scope, and their use is noted', async () => {
    await createUser('cleo');
    const opened = await identity.login('cleo@proof', PASSWORD);
    const session = await identity.sessions.peek(opened.json.session);
    const principal: UserPrincipal = { ...session!.principal, sessionId: session!.id };
    const apps = await identity.call(appPasswords.getApps, { principal });
    const scopes: string[] = apps.map((app: { name: string }) => app.name);
    const made = await identity.call(appPasswords.add, {
      principal,
      body: { appScope: scopes[0], appName: 'telephone' },
    });
    const open = (scope?: string) => proof(made.login, made.password, { scopes: scope === undefined ? [] : [scope] });
    expect((await open()).accepted).toBe(false);
    expect((await open('read_nothing')).accepted).toBe(false);
    const granted = (await identity.sql('select scope from app_password'))[0].scope;
    expect(granted).toBe(scopes[0]);
    const types: { scopes: string[] }[] = await Promise.all(
      ['read_mail', 'write_mail', 'read_calendar', 'write_calendar', 'read_contacts'].map(async (scope) => {
        const { accepted, principal: who } = await open(scope);
        return { scopes: accepted ? [scope, ...who!.appScopes!] : [] };
      }),
    );
    const accepted = types.filter((type) => type.scopes.length > 0);
    expect(accepted.length).toBeGreaterThan(0);
    for (const {
      scopes: [asked, ...all],
    } of accepted)
      expect(all).toContain(asked);
    expect((await identity.sql('select last_login from app_password'))[0].last_login).not.toBeNull();
  });

  it('of users with a second factor are application passwords only', async () => {
    const { id } = await createUser('dora');
    await identity.sql(
      `insert into factor_device (context_id, device_id, user_id, provider, name, backup, secret, created_at)
       values ($1, gen_random_uuid(), $2, 'TOTP', 'x', false, 'x', 1)`,
      [contextId, id],
    );
    const missingFactor = { contextId, userId: id, takesCode: true };
    expect(await proof('dora@proof', PASSWORD)).toEqual({ accepted: false, missingFactor });
    expect(await proof('dora@proof', 'wrong')).toEqual({ accepted: false });
  });

  it('cannot be guessed', async () => {
    await createUser('eve');
    const remoteAddress = freshAddress();
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await proof('eve@proof', `guess ${attempt}`, { remoteAddress })).accepted).toBe(false);
    expect(await codeOf(proof('eve@proof', PASSWORD, { remoteAddress }))).toBe('LGI-0028');
    expect((await proof('eve@proof', PASSWORD)).accepted).toBe(true);
  });
});

describe('the time of a refused login', () => {
  it('does not tell whether context and user exist, are enabled, or have an imported hash', async () => {
    await createUser('known');
    const { id } = await createUser('disabled');
    await identity.call(provisioning.changeUser, { query: { contextId, userId: id }, body: { enabled: false } });
    const salt = randomBytes(8);
    const digest = createHash('sha512').update('imported password').update(salt).digest();
    await createUser('imported', { passwordHash: `{SSHA512}${Buffer.concat([digest, salt]).toString('base64')}` });
    const logins = ['known@proof', 'nobody@proof', 'known@nowhere', 'disabled@proof', 'imported@proof'];
    const passwords = ['wrong', 'aaaa-bbbb-cccc-dddd'];
    const cases = logins.flatMap((login) =>
      passwords.map((password) => {
        const refused = async (): Promise<void> => {
          const edge = createEdge({ remoteAddress: freshAddress() });
          expect(await codeOf(identity.login(login, password, {}, edge))).toBe('LGI-0006');
        };
        return [`${login} with ${password}`, refused] as const;
      }),
    );
    // One hash against another: without it a refusal takes a fraction.
    expect(await tellingTimes(Object.fromEntries(cases), 1.6)).toEqual([]);
  }, 300_000);
});
