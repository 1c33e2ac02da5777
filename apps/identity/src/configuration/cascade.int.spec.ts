import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  authentication,
  directory,
  property,
  provisioning,
  resellers,
  sessionAdministration,
  type AdminPrincipal,
} from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { codeOf, startIdentity, type RunningIdentity } from '../testing/running-identity';

const wide = property({
  key: 'com.example.spec.cascade.wide',
  default: 0,
  scopes: ['user', 'context', 'server'],
  doc: 'for this spec',
});
property({ key: 'com.example.spec.cascade.server', default: '', doc: 'for this spec' });

let identity: RunningIdentity;
let folder: string;
let serial = 0;

const SETS = `
everybody:
  withTags: groupware | "!"
  ${wide.key}: 1
gold:
  withTags: gold & !ucInfostore
  ${wide.key}: 2
infostore:
  withTags: gold & infostore
  ${wide.key}: 3
  com.example.capability.from_set: true
`;

const as = (reseller: string): AdminPrincipal => ({ kind: 'reseller', login: reseller, reseller });
const putReseller = (name: string, body: object = {}) =>
  identity.request(resellers.putReseller, {
    query: { reseller: name },
    body: { password: `${name} secret`, ...body },
  });
async function createContext(body: object = {}, principal?: AdminPrincipal): Promise<number> {
  const name = `c${++serial}`;
  const admin = { name: 'admin', password: 'p', surname: 'Min', email: `admin@${name}.example` };
  const call = { ...(principal ? { principal } : {}), body: { name, admin, ...body } };
  return (await identity.call(provisioning.createContext, call)).id;
}
const valueOf = async (contextId: number, user = 2): Promise<string | undefined> =>
  (
    await identity.call(directory.properties, {
      principal: { kind: 'internal', service: 'spec', contextId },
      query: { user },
    })
  )[wide.key];
const set = (contextId: number, value: number, userId?: number) =>
  identity.call(userId ? provisioning.setUserProperty : provisioning.setContextProperty, {
    query: { contextId, ...(userId ? { userId } : {}), property: wide.key },
    body: { value },
  });
const check = (login: string, password: string, contextId?: number) =>
  identity.call(authentication.administrator, {
    principal: { kind: 'internal', service: 'gateway', contextId: 0 },
    query: { contextId, contextAdmin: contextId !== undefined, login, password, remoteAddress: '198.51.100.7' },
  });

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'context-sets-'));
  writeFileSync(path.join(folder, 'sets.yaml'), SETS);
  writeFileSync(path.join(folder, 'server.properties'), '');
  identity = await startIdentity({
    GROUPWARE_CONTEXT_SETS: folder,
    GROUPWARE_CONFIG_POLL_MS: '20',
    GROUPWARE_PROPERTIES_FILE: path.join(folder, 'server.properties'),
  });
});
afterAll(async () => {
  await identity.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the cascade', () => {
  it('takes the user, the context, the reseller, those above, then context sets; what goes lets the next one through', async () => {
    await putReseller('top', { config: { [wide.key]: 10 } });
    await putReseller('low', { parent: 'top' });
    const contextId = await createContext({ reseller: 'low', taxonomyTypes: ['gold'] });
    expect(await valueOf(contextId)).toBe('10');
    await putReseller('low', { parent: 'top', config: { [wide.key]: 20 } });
    expect(await valueOf(contextId)).toBe('20');
    await set(contextId, 30);
    expect(await valueOf(contextId)).toBe('30');
    await set(contextId, 40, 2);
    expect([await valueOf(contextId), await valueOf(contextId, 0)]).toEqual(['40', '30']);
    await identity.call(provisioning.deleteUserProperty, { query: { contextId, userId: 2, property: wide.key } });
    await identity.call(provisioning.deleteContextProperty, { query: { contextId, property: wide.key } });
    expect(await valueOf(contextId)).toBe('20');
    await identity.call(provisioning.changeContext, { query: { contextId }, body: { reseller: '' } });
    expect([await valueOf(contextId), await valueOf(contextId, 0)]).toEqual(['3', '2']);
  });

  it('chooses context sets by taxonomy of context and reseller, by name and by module access', async () => {
    await putReseller('golden', { taxonomies: ['gold'], capabilities: { add: ['of_reseller'], remove: ['calendar'] } });
    const contextId = await createContext({ reseller: 'golden' });
    expect([await valueOf(contextId), await valueOf(contextId, 0)]).toEqual(['3', '2']);
    const found = await identity.call(sessionAdministration.getAllCapabilities, {
      query: { context: contextId, user: 2 },
    });
    const ids = found.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(['from_set', 'of_reseller']));
    expect(ids).not.toContain('calendar');
    const named = await createContext({ name: 'groupware' });
    expect(await valueOf(named)).toBe('1');
    const values = await identity.call(directory.propertyOfUsers, {
      principal: { kind: 'internal', service: 'spec', contextId },
      query: { key: wide.key, ids: [2, 99] },
    });
    expect(values).toEqual({ '2': '3', '99': null });
  });

  it('follows changed files; a broken one changes nothing', async () => {
    const contextId = await createContext({ taxonomyTypes: ['gold'] });
    const file = path.join(folder, 'tail.yml');
    const settled = async (expected: string) => {
      for (let tries = 0; tries < 200 && (await valueOf(contextId)) !== expected; tries++)
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(await valueOf(contextId)).toBe(expected);
    };
    writeFileSync(file, `later: {withTags: gold, ${wide.key}: 5}`);
    await settled('5');
    writeFileSync(file, `later: {withTags: gold, com.example.spec.cascade.server: x, ${wide.key}: 6}`);
    writeFileSync(path.join(folder, 'zz.yml'), `last: {withTags: "gold &", ${wide.key}: 7}`);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await valueOf(contextId)).toBe('5');
    rmSync(path.join(folder, 'zz.yml'));
    writeFileSync(file, `later: {withTags: gold, ${wide.key}: 8}`);
    await settled('8');
    rmSync(file);
    await settled('3');
  });

  it('reaches live sessions when files of the server or of context sets change', async () => {
    const id = await createContext({ taxonomyTypes: ['silver'] });
    const { session } = (await identity.login(`admin@${id}`, 'p')).json;
    const has = async (capability: string) =>
      (await identity.sessions.peek(session))!.principal.capabilities.includes(capability);
    for (const [file, text, capability] of [
      [path.join(folder, 'silver.yml'), 'silver: {withTags: silver, com.example.capability.shiny: true}', 'shiny'],
      [path.join(folder, 'server.properties'), 'com.example.capability.everywhere=true', 'everywhere'],
    ] as const) {
      expect(await has(capability)).toBe(false);
      writeFileSync(file, text);
      await until(() => has(capability));
      writeFileSync(file, '');
      await until(async () => !(await has(capability)));
    }
  });
});

describe('resellers', () => {
  it('are created, replaced, listed and deleted', async () => {
    const created = await putReseller('acme', { displayName: 'Acme', restrictions: { maxContexts: 3 } });
    expect([created.status, created.headers?.Location]).toEqual([201, '/admin/v1/resellers/acme']);
    expect(created.json).toMatchObject({
      name: 'acme',
      displayName: 'Acme',
      restrictions: { maxContexts: 3 },
      version: 1,
    });
    expect(JSON.stringify(created.json)).not.toMatch(/secret|hash|argon/);
    const stale = { query: { reseller: 'acme' }, body: {}, edge: { headers: { 'if-match': '"9"' } } };
    expect(await codeOf(identity.call(resellers.putReseller, stale))).toBe('REST-0412');
    const replaced = await identity.request(resellers.putReseller, { query: { reseller: 'acme' }, body: {} });
    expect([replaced.status, replaced.json.displayName, replaced.json.version]).toEqual([200, 'acme', 2]);
    expect(await check('acme', 'acme secret')).toEqual({ accepted: true, reseller: 'acme', responsible: false });
    expect((await identity.call(resellers.getReseller, { query: { reseller: 'acme' } })).name).toBe('acme');
    const first = await identity.call(resellers.listResellers, { query: { limit: 1, q: 'acm*' } });
    expect(first).toEqual({ items: [expect.objectContaining({ name: 'acme' })] });
    await putReseller('acme-west', { parent: 'acme' });
    const page = await identity.call(resellers.listResellers, { query: { limit: 1, q: 'acme*', fields: ['name'] } });
    expect(page).toEqual({ items: [{ name: 'acme' }], next: 'acme' });
    const remove = (reseller: string, missingOk = false) =>
      identity.request(resellers.deleteReseller, { query: { reseller, missingOk } });
    expect(await codeOf(remove('acme'))).toBe('RSL-0005');
    await remove('acme-west');
    const edge = { headers: { 'if-match': '"1"' } };
    expect(await codeOf(identity.request(resellers.deleteReseller, { query: { reseller: 'acme' }, edge }))).toBe(
      'REST-0412',
    );
    await remove('acme');
    expect(await codeOf(remove('acme'))).toBe('RSL-0001');
    expect((await remove('acme', true)).status).toBe(200);
    expect(await codeOf(identity.call(resellers.getReseller, { query: { reseller: 'acme' } }))).toBe('RSL-0001');
    expect(await check('acme', 'acme secret')).toEqual({ accepted: false });
  });

  it('are refused without password, below nobody or below themselves, and with values nobody may set', async () => {
    const put = (reseller: string, body: object) =>
      codeOf(identity.call(resellers.putReseller, { query: { reseller }, body }));
    expect(await put('nobody', {})).toBe('RSL-0004');
    expect(await put('nobody', { password: 'x', parent: 'unknown' })).toBe('RSL-0002');
    await putReseller('up');
    await putReseller('down', { parent: 'up' });
    expect(await put('up', { parent: 'down' })).toBe('RSL-0003');
    expect(await put('up', { config: { 'com.example.spec.cascade.server': 'x' } })).toBe('PROV-0013');
    expect(await put('up', { config: { 'com.example.no.such': 'x' } })).toBe('PROV-0013');
    expect(await put('up', { config: { [wide.key]: 'x' } })).toBe('PROV-0014');
  });

  it('answer for the contexts of their subtree only', async () => {
    await putReseller('north');
    await putReseller('north-east', { parent: 'north' });
    await putReseller('south');
    const own = await createContext({}, as('north'));
    const below = await createContext({ reseller: 'north-east' }, as('north'));
    const foreign = await createContext({}, as('south'));
    const responsible = async (contextId: number) => (await check('north', 'north secret', contextId)).responsible;
    expect([await responsible(own), await responsible(below), await responsible(foreign)]).toEqual([true, true, false]);
    expect(await responsible(999_999)).toBe(false);
    expect(await check('north', 'wrong', own)).toEqual({ accepted: false });
    const listed = await identity.call(provisioning.listContexts, { principal: as('north') });
    expect(listed.items.map(({ id }: { id: number }) => id)).toEqual([own, below]);
    const filtered = await identity.call(provisioning.listContexts, { query: { reseller: 'north-east' } });
    expect(filtered.items).toEqual([expect.objectContaining({ id: below, reseller: 'north-east' })]);
    expect(await codeOf(createContext({ reseller: 'south' }, as('north')))).toBe('REST-0403');
    expect(await codeOf(createContext({ reseller: 'unknown' }))).toBe('RSL-0002');
    const close = (principal: AdminPrincipal, contextIds: number[]) =>
      codeOf(identity.call(sessionAdministration.closeSessionsByContext, { principal, body: { contextIds } }));
    expect(await close(as('north'), [own, below])).toBe('none');
    expect(await close(as('north'), [own, foreign])).toBe('REST-0403');
    const byUser = { principal: as('north'), body: { users: [{ contextId: foreign, userId: 2 }] } };
    expect(await codeOf(identity.call(sessionAdministration.closeSessionsByUser, byUser))).toBe('REST-0403');
  });

  it('close sessions by id only when all known ones are theirs', async () => {
    await putReseller('keeper');
    const own = await createContext({}, as('keeper'));
    const foreign = await createContext();
    const [mine, other] = await Promise.all(
      [own, foreign].map(async (contextId) => (await identity.login(`admin@${contextId}`, 'p')).json.session as string),
    );
    const close = (sessionIds: string[]) =>
      codeOf(identity.call(sessionAdministration.closeSessionsById, { principal: as('keeper'), body: { sessionIds } }));
    expect(await close([mine!, other!])).toBe('REST-0403');
    expect(await identity.sessions.peek(mine!)).toBeDefined();
    expect(await close([mine!, 'unknown'])).toBe('none');
    expect(await identity.sessions.peek(mine!)).toBeUndefined();
    expect(await identity.sessions.peek(other!)).toBeDefined();
  });

  it('create no more than they and those above may', async () => {
    await putReseller('big', { restrictions: { maxContexts: 2, maxUsers: 3, maxQuotaMb: 100 } });
    await putReseller('small', { parent: 'big' });
    const contextId = await createContext({ quotaMb: 60 }, as('small'));
    expect(await codeOf(createContext({ quotaMb: 50 }, as('small')))).toBe('RSL-0006');
    await createContext({ quotaMb: 40 }, as('big'));
    expect(await codeOf(createContext({}, as('small')))).toBe('RSL-0006');
    const user = (name: string) =>
      codeOf(
        identity.call(provisioning.createUser, {
          query: { contextId },
          body: { name, password: 'p', surname: 'S', primaryEmail: `${name}@c${contextId}.example` },
        }),
      );
    expect([await user('one'), await user('two')]).toEqual(['none', 'RSL-0006']);
    const grow = { query: { contextId }, body: { quotaMb: 61 } };
    expect(await codeOf(identity.call(provisioning.changeContext, grow))).toBe('RSL-0006');
  });
});
