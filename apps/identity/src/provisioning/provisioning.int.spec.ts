import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  allProperties,
  contextStorage,
  directory,
  installation,
  passwordchange,
  provisioning,
  resellers,
  type AdminPrincipal,
  type CatalogueError,
  type ImportedPasswords,
  type Job,
  type Operation,
  type ProvisionedUser,
} from '@groupware/contracts';
import { FolderStore } from '@groupware/file-store';
import { postgresUrl, until } from '@groupware/test-kit';
import { Client } from 'pg';
import { authentication } from '@groupware/contracts';
import { codeOf, MASTER, startIdentity, type RunningIdentity, type TestCall } from '../testing/running-identity';

const PASSWORD = 'a good password';
const ANONYMOUS = { kind: 'anonymous' } as const;
let identity: RunningIdentity;
let serial = 0;

const contextAdmin = (contextId: number): AdminPrincipal => ({
  kind: 'context-admin',
  login: 'admin',
  contextId,
  userId: 2,
});
const ifMatch = (version: string) => ({ headers: { 'if-match': version } });

async function createContext(parts: object = {}): Promise<{ id: number; name: string; domain: string }> {
  const name = `context-${++serial}`;
  const domain = `${name}.example`;
  const admin = { name: 'admin', password: PASSWORD, surname: 'Min', email: `admin@${domain}` };
  const context = await identity.call(provisioning.createContext, { body: { name, admin, ...parts } });
  return { id: context.id, name, domain };
}

const draft = (name: string, domain: string, parts: object = {}) => ({
  name,
  password: PASSWORD,
  surname: name.toUpperCase(),
  primaryEmail: `${name}@${domain}`,
  ...parts,
});

/** Sessions of the database that wait for a lock. */
const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

const codeFor = (operation: Operation, call: TestCall) => codeOf(identity.call(operation, call));

describe('provisioning', () => {
  beforeAll(async () => {
    identity = await startIdentity({ IDENTITY_JOB_TAKEOVER_MS: '300', IDENTITY_RESERVATION_LIFE_MS: '1000' });
  });
  afterAll(() => identity.close());

  describe('contexts', () => {
    it('are made with administrator, standard groups and implicit login mappings', async () => {
      const answer = await identity.request(provisioning.createContext, {
        body: {
          name: 'Acme',
          loginMappings: ['acme.example', 'ACME'],
          taxonomyTypes: ['gold'],
          admin: { name: 'boss', password: PASSWORD, givenName: 'Big', surname: 'Boss', email: 'boss@acme.example' },
        },
      });
      const { id } = answer.json;
      expect(answer.headers).toEqual({ Location: `/admin/v1/contexts/${id}` });
      expect(answer.json).toMatchObject({
        name: 'Acme',
        enabled: true,
        adminUserId: 2,
        loginMappings: expect.arrayContaining(['acme', 'acme.example', String(id)]),
        taxonomyTypes: ['gold'],
        moduleAccess: { combination: 'groupware_plus', flags: { calendar: true, ical: false } },
        state: 'ready',
        version: 1,
        quotaMb: -1,
      });
      expect(answer.json.loginMappings).toHaveLength(3);
      const admin = await identity.call(provisioning.getUser, { query: { contextId: id, userId: 2 } });
      expect(admin).toMatchObject({
        name: 'boss',
        displayName: 'Big Boss',
        isAdmin: true,
        groups: [0, 1],
        locale: 'en_US',
      });
      const groups = await identity.call(provisioning.listGroups, { query: { contextId: id } });
      expect(groups.items.map((group: { id: number; members: number[] }) => [group.id, group.members])).toEqual([
        [0, [2]],
        [1, [2]],
      ]);
    });

    it('refuse numbers and mappings in use, and leave nothing behind then', async () => {
      const first = await createContext({ loginMappings: ['taken-mapping'] });
      const admin = { name: 'a', password: PASSWORD, surname: 'A', email: 'unique@nowhere.example' };
      expect(await codeFor(provisioning.createContext, { body: { id: first.id, name: 'other', admin } })).toBe(
        'PROV-0004',
      );
      const clash = { id: 4711, name: 'fresh', loginMappings: ['Taken-Mapping'], admin };
      expect(await codeFor(provisioning.createContext, { body: clash })).toBe('PROV-0003');
      expect(await codeFor(provisioning.getContext, { query: { contextId: 4711 } })).toBe('CTX-0002');
      expect(await codeFor(provisioning.createContext, { body: { ...clash, loginMappings: [] } })).toBe('none');
    });

    it('get different numbers when several are made at once', async () => {
      const made = await Promise.all(Array.from({ length: 8 }, () => createContext()));
      expect(new Set(made.map(({ id }) => id)).size).toBe(8);
    });

    it('are made once per idempotency key', async () => {
      const body = { name: 'once', admin: { name: 'a', password: 'x', surname: 'A', email: 'a@once.example' } };
      const call = { body, idempotencyKey: 'key-1' };
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => identity.request(provisioning.createContext, call)),
      );
      expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
      expect(answers.every(({ status }) => status === 201)).toBe(true);
      expect(await codeFor(provisioning.createContext, { ...call, body: { ...body, name: 'twice' } })).toBe(
        'PROV-0010',
      );
      const other = { ...body, admin: { ...body.admin, password: 'y' } };
      expect(await codeFor(provisioning.createContext, { ...call, body: other })).toBe('PROV-0010');
      const stored = await identity.sql(`select result::text as text from idempotency_key where key = 'key-1'`);
      expect(stored).toHaveLength(1);
      expect(stored[0].text).not.toContain('"x"');
    });

    it('change under If-Match only', async () => {
      const { id } = await createContext();
      const query = { contextId: id };
      expect(await codeFor(provisioning.changeContext, { query, body: { quotaMb: 5 }, edge: ifMatch('"7"') })).toBe(
        'REST-0412',
      );
      const changed = await identity.request(provisioning.changeContext, {
        query,
        body: { quotaMb: 5, name: 'renamed', loginMappings: ['renamed.example'] },
        edge: ifMatch('"1"'),
      });
      expect(changed.headers).toEqual({ ETag: '"2"' });
      expect(changed.json).toMatchObject({ quotaMb: 5, name: 'renamed', version: 2 });
      expect(changed.json.loginMappings.sort()).toEqual([String(id), 'renamed', 'renamed.example'].sort());
    });

    it('are disabled and enabled by a change, too', async () => {
      const { id, name } = await createContext();
      const call = { query: { contextId: id } };
      const change = (body: object) => identity.call(provisioning.changeContext, { ...call, body });
      const login = () => codeOf(identity.login(`admin@${name}`, PASSWORD));
      const { session } = (await identity.login(`admin@${name}`, PASSWORD)).json;
      expect(await change({ enabled: false, reason: 'not paid' })).toMatchObject({
        enabled: false,
        reason: 'not paid',
        version: 2,
      });
      expect(await identity.sessions.peek(session)).toBeUndefined();
      expect(await login()).not.toBe('none');
      expect(await change({ quotaMb: 7 })).toMatchObject({ enabled: false, reason: 'not paid' });
      expect(await change({ reason: null })).not.toHaveProperty('reason');
      const enabled = await change({ enabled: true, reason: 'of no meaning' });
      expect(enabled.enabled).toBe(true);
      expect(enabled).not.toHaveProperty('reason');
      expect(await login()).toBe('none');
      expect(await codeOf(change({ enabled: null }))).toBe('PROV-0019');
    });

    it('are listed by page, pattern, mapping and tag, with the fields asked for', async () => {
      const made = [
        await createContext({ taxonomyTypes: ['listed'] }),
        await createContext({ taxonomyTypes: ['listed'] }),
      ];
      const list = (query: object) => identity.call(provisioning.listContexts, { query });
      const first = await list({ tag: 'listed', limit: 1, fields: ['id', 'name'] });
      expect(first.items).toEqual([{ id: made[0]!.id, name: made[0]!.name }]);
      const second = await list({ tag: 'listed', limit: 1, after: first.next });
      expect(second.items.map((item: { id: number }) => item.id)).toEqual([made[1]!.id]);
      expect(second.next).toBeUndefined();
      expect((await list({ mapping: made[1]!.name.toUpperCase() })).items).toHaveLength(1);
      expect((await list({ q: `${made[0]!.name}` })).items.map((item: { id: number }) => item.id)).toContain(
        made[0]!.id,
      );
      expect((await list({ q: 'no%such_thing*' })).items).toEqual([]);
      expect((await list({ reseller: 'nobody' })).items).toEqual([]);
    });

    it('bound the access of their users, whose own stays unless it is applied to them', async () => {
      const { id, domain } = await createContext({ moduleAccess: { combination: 'premium' } });
      const query = { contextId: id };
      const whole = await identity.call(provisioning.createUser, { query, body: draft('whole', domain) });
      const part = await identity.call(provisioning.createUser, {
        query,
        body: draft('part', domain, { moduleAccess: { flags: { calendar: false } } }),
      });
      const accessOf = ({ id: userId }: { id: number }) =>
        identity.call(provisioning.getUserAccess, { query: { ...query, userId } });
      const setAccess = (body: object, more: object = {}) =>
        identity.call(provisioning.setContextAccess, { query: { ...query, ...more }, body });
      const former = [await accessOf(whole), await accessOf(part)];

      await identity.login(`whole@${id}`, PASSWORD);
      const capabilities = async () => {
        const [session] = await identity.sessions.listByUser(id, whole.id);
        return session!.principal.capabilities;
      };
      expect(await capabilities()).toContain('infostore');
      await setAccess({ combination: 'pim_plus' });
      expect(await accessOf(whole)).toMatchObject({ flags: { calendar: true, ical: false, infostore: false } });
      expect(await accessOf(whole)).not.toHaveProperty('combination');
      expect(await capabilities()).not.toContain('infostore');
      // A change of other data, or of a flag within, does not make the bound the user's own.
      const one = { ...query, userId: whole.id };
      await identity.call(provisioning.changeUser, { query: one, body: { title: 'Dr.' } });
      await identity.call(provisioning.setUserAccess, { query: one, body: { flags: { tasks: true } } });
      expect(await codeFor(provisioning.setUserAccess, { query: one, body: { flags: { ical: true } } })).toBe(
        'PROV-0008',
      );

      await setAccess({ combination: 'premium' });
      expect([await accessOf(whole), await accessOf(part)]).toEqual(former);
      expect(await capabilities()).toContain('infostore');
      await setAccess({ combination: 'pim_plus' }, { applyToUsers: true });
      await setAccess({ combination: 'premium' });
      for (const user of [whole, part])
        expect(await accessOf(user)).toMatchObject({
          combination: 'pim_plus',
          flags: { calendar: true, infostore: false },
        });
    });

    it('take access from users who have more', async () => {
      const { id, domain } = await createContext({ moduleAccess: { combination: 'premium' } });
      const query = { contextId: id };
      const user = await identity.call(provisioning.createUser, { query, body: draft('u', domain) });
      expect(user.moduleAccess).toMatchObject({ combination: 'premium', flags: { ical: true } });
      await identity.call(provisioning.setContextAccess, { query, body: { combination: 'pim_plus' } });
      const reduced = await identity.call(provisioning.getUserAccess, { query: { ...query, userId: user.id } });
      expect(reduced).toMatchObject({ flags: { calendar: true, ical: false, infostore: false } });
      const beyond = { query: { ...query, userId: user.id }, body: { flags: { ical: true } } };
      expect(await codeFor(provisioning.setUserAccess, beyond)).toBe('PROV-0008');
      expect(await codeFor(provisioning.setContextAccess, { query, body: { combination: 'toString' } })).toBe(
        'PROV-0009',
      );
      const admin = { query: { ...query, userId: 2 }, body: { flags: { webmail: false } } };
      expect(await codeFor(provisioning.setUserAccess, admin)).toBe('PROV-0008');
      const none = { query, body: { flags: { webmail: false } } };
      expect(await codeFor(provisioning.setContextAccess, none)).toBe('PROV-0008');
      await expect(createContext({ moduleAccess: { flags: { contacts: false } } })).rejects.toThrow('contacts');
      const small = await identity.call(provisioning.createUser, {
        query,
        body: draft('small', domain, { moduleAccess: { flags: { contacts: false } } }),
      });
      const heir = { query, body: { adminUserId: small.id } };
      expect(await codeFor(provisioning.changeContext, heir)).toBe('PROV-0008');
      await identity.call(provisioning.changeContext, { query, body: { adminUserId: user.id } });
      expect(await identity.call(provisioning.getContext, { query })).toMatchObject({ adminUserId: user.id });
    });

    it('hold properties within what is declared', async () => {
      const { id } = await createContext();
      const at = (property: string) => ({ contextId: id, property });
      const limit = at('com.example.sessiond.maxSessionPerUser');
      expect(await codeFor(provisioning.getContextProperty, { query: limit })).toBe('PROV-0015');
      const set = (query: object, value: unknown) =>
        codeFor(provisioning.setContextProperty, { query, body: { value } });
      expect(await set(limit, 5)).toBe('none');
      expect(await set(limit, 'many')).toBe('PROV-0014');
      expect(await set(at('com.example.cookie.hash.salt'), 'x')).toBe('PROV-0013');
      expect(await set(at('com.example.unknown'), 'x')).toBe('PROV-0013');
      expect(await set(at('com.example.capability.drive'), 'maybe')).toBe('PROV-0014');
      expect(await identity.call(provisioning.getContextProperty, { query: limit })).toEqual({
        name: limit.property,
        value: 5,
      });
      const effective = await identity.call(directory.properties, {
        principal: { kind: 'internal', service: 'test', contextId: id },
        query: { user: 2 },
      });
      expect(effective).toEqual({ [limit.property]: '5' });
      expect((await identity.request(provisioning.deleteContextProperty, { query: limit })).status).toBe(204);
      expect(await codeFor(provisioning.deleteContextProperty, { query: limit })).toBe('PROV-0015');
      const again = await identity.request(provisioning.deleteContextProperty, {
        query: { ...limit, missingOk: true },
      });
      expect(again.status).toBe(200);
    });

    it('vanish with everything but their number and the audit log', async () => {
      const { id, domain, name } = await createContext();
      const query = { contextId: id };
      await identity.call(provisioning.createUser, { query, body: draft('u', domain) });
      const session = (await identity.login(`u@${name}`, PASSWORD)).json.session;
      const answer = await identity.request(provisioning.deleteContext, { query });
      expect(answer.json).toMatchObject({ kind: 'delete-context', state: 'done' });
      expect(await identity.sessions.peek(session)).toBeUndefined();
      expect(await codeFor(provisioning.getContext, { query })).toBe('CTX-0002');
      expect(await codeFor(provisioning.deleteContext, { query })).toBe('CTX-0002');
      expect(
        (await identity.request(provisioning.deleteContext, { query: { ...query, missingOk: true } })).status,
      ).toBe(200);
      const [{ count }] = await identity.sql('select count(*)::int from directory_user where context_id = $1', [id]);
      expect(count).toBe(0);
      expect(await codeOf(createContext({ id }))).toBe('PROV-0004');
      const jobId = answer.json.id;
      expect(await identity.call(provisioning.getJob, { query: { ...query, jobId } })).toMatchObject({ state: 'done' });
      expect(await codeFor(provisioning.getJob, { query: { ...query, jobId: 'nonsense' } })).toBe('PROV-0012');
    });
  });

  describe('users', () => {
    let context: Awaited<ReturnType<typeof createContext>>;
    const create = (name: string, parts: object = {}): Promise<ProvisionedUser> =>
      identity.call(provisioning.createUser, {
        principal: contextAdmin(context.id),
        query: { contextId: context.id },
        body: draft(name, context.domain, parts),
      });
    const change = (userId: number, body: object, query: object = {}): Promise<ProvisionedUser> =>
      identity.call(provisioning.changeUser, {
        principal: contextAdmin(context.id),
        query: { contextId: context.id, userId, ...query },
        body,
      });

    beforeAll(async () => {
      context = await createContext();
    });

    it('are made with defaults, and the event of it is sent', async () => {
      const user = await create('first', {
        givenName: 'Fi',
        phones: { mobile: '+49 1' },
        title: 'Dr.',
        aliases: ['F@x.example'],
      });
      expect(user).toMatchObject({
        name: 'first',
        displayName: 'Fi FIRST',
        enabled: true,
        guest: false,
        isAdmin: false,
        groups: [0, 1],
        locale: 'en_US',
        timezone: 'UTC',
        title: 'Dr.',
        phones: { mobile: '+49 1' },
        aliases: [`first@${context.domain}`, 'F@x.example'],
        moduleAccess: { combination: 'groupware_plus' },
        version: 1,
      });
      expect(JSON.stringify(user)).not.toContain(PASSWORD);
    });

    it('refuse names, display names and addresses in use, whatever the case', async () => {
      await create('unique', { displayName: 'Unique Name' });
      expect(await codeOf(create('UNIQUE', { primaryEmail: `x1@${context.domain}` }))).toBe('PROV-0001');
      expect(await codeOf(create('unique2', { displayName: 'unique name' }))).toBe('PROV-0005');
      expect(await codeOf(create('unique3', { primaryEmail: `Unique@${context.domain}` }))).toBe('PROV-0002');
    });

    it('name the owner of an address to master administrators only', async () => {
      const other = await createContext();
      const body = draft('thief', context.domain, { primaryEmail: `admin@${other.domain}` });
      const query = { contextId: context.id };
      const asAdmin = identity.call(provisioning.createUser, { principal: contextAdmin(context.id), query, body });
      await expect(asAdmin).rejects.toMatchObject({ code: 'PROV-0002', params: [`admin@${other.domain}`, ''] });
      const asMaster = identity.call(provisioning.createUser, { principal: MASTER, query, body });
      await expect(asMaster).rejects.toMatchObject({ params: [`admin@${other.domain}`, ` in context ${other.id}`] });
    });

    it('refuse bad locales, time zones, hashes and unknown groups', async () => {
      expect(await codeOf(create('bad1', { locale: 'nonsense!' }))).toBe('USR-0023');
      expect(await codeOf(create('bad2', { timezone: 'Europe/Nowhere' }))).toBe('USR-0024');
      expect(await codeOf(create('bad3', { password: undefined, passwordHash: '{MD5}x' }))).toBe('PROV-0018');
      expect(await codeOf(create('bad4', { password: undefined }))).toBe('PROV-0019');
      expect(await codeOf(create('bad5', { groups: [4711] }))).toBe('GRP-0017');
      const several = { locale: 'nonsense!', timezone: 'Europe/Nowhere', aliases: ['no address'] };
      const namesOf = (work: Promise<unknown>) =>
        work.catch(({ details }: CatalogueError) =>
          details.problematic?.map((each) => (each as { name: string }).name),
        );
      const wrong = ['locale', 'timezone', 'aliases'];
      expect(await namesOf(create('bad6', { ...several, password: undefined }))).toEqual(['password', ...wrong]);
      const { id } = await create('good');
      expect(await namesOf(change(id, several))).toEqual(wrong);
      const names = await identity.sql(`select name from directory_user where context_id = $1 and name like 'bad%'`, [
        context.id,
      ]);
      expect(names).toEqual([]);
    });

    it('are made once per key, also when both calls run at the same time', async () => {
      const call = {
        principal: contextAdmin(context.id),
        query: { contextId: context.id },
        body: draft('repeated', context.domain),
        idempotencyKey: 'user-key',
      };
      const [one, two] = await Promise.all([
        identity.request(provisioning.createUser, call),
        identity.request(provisioning.createUser, call),
      ]);
      expect(one.json).toEqual(two.json);
      const other = { ...call.body, password: 'another good password' };
      expect(await codeFor(provisioning.createUser, { ...call, body: other })).toBe('PROV-0010');
      // Another administrator's key is another key.
      expect(await codeFor(provisioning.createUser, { ...call, principal: MASTER })).toBe('PROV-0001');
    });

    it('change by merging: absent stays, null removes', async () => {
      const user = await create('merged', { givenName: 'Mer', title: 'Dr.', phones: { mobile: '1', business: '2' } });
      const changed = await change(user.id, { givenName: null, phones: { mobile: null }, department: 'Sales' });
      expect(changed).toMatchObject({
        surname: 'MERGED',
        title: 'Dr.',
        department: 'Sales',
        phones: { business: '2' },
        version: 2,
      });
      expect(changed).not.toHaveProperty('givenName');
      expect(changed.phones).toEqual({ business: '2' });
      expect((await change(user.id, { phones: null })).phones).toEqual({});
    });

    it('change their groups, but for those that every user is in', async () => {
      const query = { contextId: context.id };
      const ids = await Promise.all(
        ['north', 'south'].map(
          async (name) => (await identity.call(provisioning.createGroup, { query, body: { name } })).id,
        ),
      );
      const [north, south] = ids as [number, number];
      const { id } = await create('joiner', { groups: [north] });
      const groupOf = (groupId: number) => identity.call(provisioning.getGroup, { query: { ...query, groupId } });
      const former = await groupOf(south);
      expect((await change(id, { groups: [0, 1, south, south] })).groups).toEqual([0, 1, south]);
      expect(await groupOf(north)).toMatchObject({ members: [] });
      expect(await groupOf(south)).toMatchObject({ members: [id], version: former.version + 1 });
      expect(await codeOf(change(id, { groups: [99_999], title: 'Dr.' }))).toBe('GRP-0017');
      expect(await change(id, { title: 'Prof.' })).toMatchObject({ groups: [0, 1, south], title: 'Prof.' });
      expect((await change(id, { groups: null })).groups).toEqual([0, 1]);
    });

    it('keep a former primary address unless told otherwise, and always have the primary one', async () => {
      const user = await create('mover');
      const [old, next, last] = ['mover', 'next', 'last'].map((name) => `${name}@${context.domain}`);
      expect((await change(user.id, { primaryEmail: next })).aliases).toEqual([next, old]);
      expect((await change(user.id, { primaryEmail: last }, { dropOld: true })).aliases).toEqual([last, old]);
      const back = await change(user.id, { primaryEmail: next, dropOld: true });
      expect(back.aliases).toEqual([next, old]);
      await change(user.id, { primaryEmail: last, dropOld: true }, { dropOld: false });
      expect(await codeOf(change(user.id, { aliases: [old!] }))).toBe('PROV-0007');
      expect((await change(user.id, { aliases: [last!, `third@${context.domain}`] })).aliases).toEqual([
        last,
        `third@${context.domain}`,
      ]);
      expect(await codeOf(create('heir', { primaryEmail: old }))).toBe('none');
    });

    it('of one context are unknown in another', async () => {
      const other = await createContext();
      const user = await create('local');
      for (const operation of [provisioning.getUser, provisioning.getUserAccess, provisioning.deleteUser])
        expect(await codeFor(operation, { query: { contextId: other.id, userId: user.id } })).toBe('USR-0010');
      expect(
        await codeFor(provisioning.setPassword, {
          query: { contextId: other.id, userId: user.id },
          body: { password: 'x' },
        }),
      ).toBe('USR-0010');
    });

    it('are deleted with their data; the administrator is not', async () => {
      const user = await create('leaver');
      const group = await identity.call(provisioning.createGroup, {
        query: { contextId: context.id },
        body: { name: 'left', members: [user.id] },
      });
      const query = { contextId: context.id, userId: user.id };
      expect(await codeFor(provisioning.deleteUser, { query: { ...query, reassignTo: '4711' } })).toBe('USR-0010');
      const session = (await identity.login(`leaver@${context.name}`, PASSWORD)).json.session;
      expect(await codeFor(provisioning.deleteUser, { query })).toBe('none');
      expect(await identity.sessions.peek(session)).toBeUndefined();
      expect(await codeFor(provisioning.deleteUser, { query })).toBe('USR-0010');
      expect((await identity.request(provisioning.deleteUser, { query: { ...query, missingOk: true } })).status).toBe(
        200,
      );
      const left = await identity.call(provisioning.getGroup, { query: { contextId: context.id, groupId: group.id } });
      expect(left.members).toEqual([]);
      expect(await codeFor(provisioning.deleteUser, { query: { ...query, userId: 2 } })).toBe('PROV-0006');
      expect(await codeOf(change(2, { enabled: false }))).toBe('PROV-0006');
      // The address is free again, the number is not.
      expect((await create('leaver')).id).toBeGreaterThan(user.id);
    });

    it('publish what happened, with whom shared data goes to', async () => {
      const user = await create('published');
      await change(user.id, { title: 'x' });
      await identity.call(provisioning.deleteUser, {
        query: { contextId: context.id, userId: user.id, reassignTo: 'none' },
      });
      const { Bus, EventBus } = await import('@groupware/messaging');
      const [{ current_database: prefix }] = await identity.sql('select current_database()');
      const bus = await Bus.connect({ url: process.env.NATS_URL!, prefix });
      const events = new EventBus(bus);
      await events.open();
      const seen: unknown[] = [];
      const done = new Promise<void>((resolve) => {
        for (const name of ['user.created', 'user.changed', 'user.deleting'])
          void events.subscribe('watcher', { name: `identity.${name}` }, async ({ contextId, payload }) => {
            if (contextId !== context.id || (payload as { userId: number }).userId !== user.id) return;
            seen.push([name, payload]);
            if (seen.length === 3) resolve();
          });
      });
      await done;
      await events.close();
      await bus.close();
      expect(seen).toHaveLength(3);
      expect(seen).toContainEqual(['user.deleting', { userId: user.id }]);
    });

    it('are noted in the audit log without secrets', async () => {
      const user = await create('audited');
      await identity.call(provisioning.setPassword, {
        query: { contextId: context.id, userId: user.id },
        body: { password: 'brand new secret' },
      });
      const rows = await identity.sql(
        `select actor, action, before, after from audit_entry where context_id = $1 and kind = 'user' and object_id = $2 order by entry_id`,
        [context.id, String(user.id)],
      );
      expect(rows.map(({ actor, action }) => [actor, action])).toEqual([
        ['context-admin:admin', 'create'],
        ['master:master', 'password'],
      ]);
      expect(JSON.stringify(rows)).not.toMatch(/secret|argon2|good password/);
    });

    it('are listed by pattern of name, address and display name', async () => {
      await create('findme', { displayName: 'Zoë 100%' });
      const find = async (q: string) =>
        (await identity.call(provisioning.listUsers, { query: { contextId: context.id, q } })).items.map(
          (user: ProvisionedUser) => user.name,
        );
      expect(await find('findm')).toEqual(['findme']);
      expect(await find('find*')).toEqual(['findme']);
      expect(await find('ind*')).toEqual([]);
      expect(await find('100%')).toEqual(['findme']);
      expect(await find(`FINDME@${context.domain}`)).toEqual(['findme']);
      expect(await codeFor(provisioning.listUsers, { query: { contextId: context.id, after: 'x' } })).toBe('REST-0400');
    });
  });

  describe('groups', () => {
    it('are made, changed and removed with their members', async () => {
      const { id, domain } = await createContext();
      const query = { contextId: id };
      const [a, b]: ProvisionedUser[] = await Promise.all(
        ['a', 'b'].map((name) => identity.call(provisioning.createUser, { query, body: draft(name, domain) })),
      );
      const group = await identity.call(provisioning.createGroup, { query, body: { name: 'Team', members: [a!.id] } });
      expect(group).toMatchObject({ name: 'Team', displayName: 'Team', members: [a!.id], version: 1 });
      expect(group.id).toBeGreaterThan(Math.max(a!.id, b!.id));
      const at = { ...query, groupId: group.id };
      await expect(identity.call(provisioning.createGroup, { query, body: { name: 'team' } })).rejects.toMatchObject({
        code: 'GRP-0006',
        params: [String(group.id)],
      });
      expect(await codeFor(provisioning.createGroup, { query, body: { name: 'x', members: [group.id] } })).toBe(
        'GRP-0007',
      );
      await identity.call(provisioning.addMember, { query: { ...at, userId: b!.id } });
      await identity.call(provisioning.addMember, { query: { ...at, userId: b!.id } });
      expect(await codeFor(provisioning.addMember, { query: { ...at, userId: 4711 } })).toBe('GRP-0007');
      expect((await identity.call(provisioning.getGroup, { query: at })).members).toEqual(
        [a!.id, b!.id].sort((left, right) => left - right),
      );
      await identity.call(provisioning.removeMember, { query: { ...at, userId: a!.id } });
      expect(await codeFor(provisioning.removeMember, { query: { ...at, userId: a!.id } })).toBe('PROV-0021');
      const changed = await identity.call(provisioning.changeGroup, {
        query: at,
        body: { displayName: 'The team', members: [] },
      });
      expect(changed).toMatchObject({ displayName: 'The team', members: [] });
      expect(await codeFor(provisioning.changeGroup, { query: at, body: {}, edge: ifMatch('"1"') })).toBe('REST-0412');
      expect(await codeFor(provisioning.deleteGroup, { query: at })).toBe('none');
      expect(await codeFor(provisioning.getGroup, { query: at })).toBe('GRP-0017');
    });

    it('take no member who is being removed, at creation or later', async () => {
      const { id, domain } = await createContext();
      const query = { contextId: id };
      const create = (name: string) => identity.call(provisioning.createUser, { query, body: draft(name, domain) });
      const [leaver, stays]: ProvisionedUser[] = await Promise.all(['leaver', 'stays'].map(create));
      const group = await identity.call(provisioning.createGroup, { query, body: { name: 'Before' } });
      const at = { ...query, groupId: group.id };
      const members = [stays!.id, leaver!.id];
      const [{ current_database: pathname }] = await identity.sql('select current_database()');
      const url = Object.assign(new URL(postgresUrl()), { pathname });
      const removal = new Client({ connectionString: url.href, options: '-c search_path=identity' });
      await removal.connect();
      try {
        await removal.query('begin');
        await removal.query('delete from directory_user where context_id = $1 and user_id = $2', [id, leaver!.id]);
        const calls = [
          codeFor(provisioning.createGroup, { query, body: { name: 'Late', members } }),
          codeFor(provisioning.changeGroup, { query: at, body: { members } }),
          codeFor(provisioning.createResource, {
            query,
            body: {
              name: 'Room',
              email: `room@${domain}`,
              privileges: [{ entity: leaver!.id, group: false, privilege: 'delegate' }],
            },
          }),
        ];
        // Those that do not wait are over by then, whatever they did.
        await Promise.race([
          Promise.all(calls),
          until(async () => (await identity.sql(WAITING)).length >= calls.length),
        ]);
        await removal.query('commit');
        expect(await Promise.all(calls)).toEqual(['GRP-0007', 'GRP-0007', 'PROV-0019']);
      } finally {
        await removal.end();
      }
      expect(await codeFor(provisioning.changeGroup, { query: at, body: { members } })).toBe('GRP-0007');
      const [{ count }] = await identity.sql(
        'select count(*)::int from membership where context_id = $1 and user_id = $2 and group_id > 1',
        [id, leaver!.id],
      );
      expect(count).toBe(0);
    });

    it('0 and 1 stay, and the members of 0 are computed', async () => {
      const { id } = await createContext();
      const at = (groupId: number, member = {}) => ({ query: { contextId: id, groupId, ...member } });
      expect(await codeFor(provisioning.deleteGroup, at(0))).toBe('GRP-0013');
      expect(await codeFor(provisioning.deleteGroup, at(1))).toBe('GRP-0013');
      expect(await codeFor(provisioning.changeGroup, { ...at(0), body: { members: [] } })).toBe('GRP-0014');
      expect(await codeFor(provisioning.removeMember, at(0, { userId: 2 }))).toBe('GRP-0014');
    });
  });

  it('resources are made, changed and removed', async () => {
    const { id, domain } = await createContext();
    const query = { contextId: id };
    const body = { name: 'Room 1', email: `room1@${domain}`, type: 'ROOM', capacity: 4 };
    const room = await identity.call(provisioning.createResource, { query, body });
    expect(room).toMatchObject({ displayName: 'Room 1', type: 'ROOM', available: true, capacity: 4, privileges: [] });
    const at = { ...query, resourceId: room.id };
    expect(await codeFor(provisioning.createResource, { query, body: { ...body, email: `x@${domain}` } })).toBe(
      'RES-0006',
    );
    expect(
      await codeFor(provisioning.createResource, { query, body: { name: 'Room 2', email: `admin@${domain}` } }),
    ).toBe('RES-0010');
    const privileges = [{ entity: 0, group: true, privilege: 'book_directly' }];
    const changed = await identity.call(provisioning.changeResource, {
      query: at,
      body: { capacity: null, available: false, privileges, email: `new@${domain}` },
      edge: ifMatch('"1"'),
    });
    expect(changed).toMatchObject({ available: false, privileges, email: `new@${domain}`, version: 2 });
    expect(changed).not.toHaveProperty('capacity');
    expect(await codeFor(provisioning.createUser, { query, body: draft('room1', domain) })).toBe('none');
    expect((await identity.call(provisioning.listResources, { query })).items).toHaveLength(1);
    // An entity is a user or a group, not both.
    const mistaken = [{ entity: 0, group: false, privilege: 'book_directly' }];
    expect(await codeFor(provisioning.changeResource, { query: at, body: { privileges: mistaken } })).toBe('PROV-0019');
    await identity.call(provisioning.deleteResource, { query: at });
    expect(await codeFor(provisioning.getResource, { query: at })).toBe('RES-0005');
  });

  it('resources lose the privileges of users and groups that go', async () => {
    const { id, domain } = await createContext();
    const query = { contextId: id };
    const user = await identity.call(provisioning.createUser, { query, body: draft('leaver', domain) });
    const group = await identity.call(provisioning.createGroup, { query, body: { name: 'Going' } });
    const ofUser = { entity: user.id, group: false, privilege: 'delegate' };
    const ofGroup = { entity: group.id, group: true, privilege: 'ask_to_book' };
    const ofAll = { entity: 0, group: true, privilege: 'book_directly' };
    const create = (name: string, privileges: object[]) =>
      identity.call(provisioning.createResource, { query, body: { name, email: `${name}@${domain}`, privileges } });
    const [both, one, other] = [
      await create('both', [ofUser, ofAll, ofGroup]),
      await create('one', [{ entity: user.id, privilege: 'delegate' }]),
      await create('other', [ofAll]),
    ];
    const get = (resource: { id: number }) =>
      identity.call(provisioning.getResource, { query: { ...query, resourceId: resource.id } });
    await identity.call(provisioning.deleteUser, { query: { ...query, userId: user.id } });
    expect(await get(both)).toMatchObject({ privileges: [ofAll, ofGroup], version: 2 });
    expect(await get(one)).toMatchObject({ privileges: [], version: 2 });
    await identity.call(provisioning.deleteGroup, { query: { ...query, groupId: group.id } });
    expect(await get(both)).toMatchObject({ privileges: [ofAll], version: 3 });
    expect(await get(other)).toMatchObject({ privileges: [ofAll], version: 1 });
    const at = { query: { ...query, resourceId: both.id } };
    for (const gone of [ofUser, ofGroup])
      expect(await codeFor(provisioning.changeResource, { ...at, body: { privileges: [gone] } })).toBe('PROV-0019');
  });

  it('the directory tells other services about entities of one context', async () => {
    const { id, domain } = await createContext();
    const query = { contextId: id };
    const principal = { kind: 'internal', service: 'test', contextId: id } as const;
    const user = await identity.call(provisioning.createUser, {
      query,
      body: draft('ann', domain, { aliases: [`Alias@${domain}`] }),
    });
    const room = await identity.call(provisioning.createResource, {
      query,
      body: { name: 'r', email: `r@${domain}`, type: 'ROOM' },
    });
    const found = await identity.call(directory.entities, { principal, query: { ids: [0, user.id, room.id, 4711] } });
    expect(found).toHaveLength(3);
    expect(found).toContainEqual({ kind: 'group', id: 0, displayName: 'All users', members: [2, user.id] });
    expect(found).toContainEqual(
      expect.objectContaining({ kind: 'resource', id: room.id, displayName: 'r', email: `r@${domain}`, room: true }),
    );
    expect(found.find((entity: { kind: string }) => entity.kind === 'user')).toMatchObject({
      id: user.id,
      name: 'ann',
      email: `ann@${domain}`,
      groups: [0, 1],
      enabled: true,
      isAdmin: false,
      capabilities: expect.arrayContaining(['calendar']),
    });
    const byAddress = (addresses: string[], asked: object = principal) =>
      identity.call(directory.byAddress, { principal: asked as typeof principal, query: { addresses } });
    const matches = await byAddress([`ALIAS@${domain}`, `R@${domain}`, 'nobody@nowhere.example']);
    expect(
      matches.map((match: { address: string; entity: { id: number } }) => [match.address, match.entity.id]).sort(),
    ).toEqual(
      [
        [`ALIAS@${domain}`, user.id],
        [`R@${domain}`, room.id],
      ].sort(),
    );
    const other = await createContext();
    expect(await byAddress([`ann@${domain}`], { ...principal, contextId: other.id })).toEqual([]);
  });

  it('administrators are known by their password, and by nothing else', async () => {
    const { id, domain, name } = await createContext();
    await identity.call(provisioning.createUser, { query: { contextId: id }, body: draft('plain', domain) });
    const check = (login: string, password: string, contextId = id, remoteAddress = '198.51.100.9') =>
      identity.call(authentication.administrator, {
        principal: { kind: 'internal', service: 'gateway', contextId },
        query: { contextId, contextAdmin: true, login, password, remoteAddress },
      });
    expect(await check('admin', PASSWORD)).toEqual({ accepted: true, userId: 2 });
    expect(await check('Admin', PASSWORD)).toEqual({ accepted: true, userId: 2 });
    expect(await check('admin', 'wrong')).toEqual({ accepted: false });
    expect(await check('plain', PASSWORD)).toEqual({ accepted: false });
    expect(await check(`admin@${name}`, PASSWORD)).toEqual({ accepted: false });
    expect(await check('admin', PASSWORD, 999_999)).toEqual({ accepted: false });
    await identity.call(provisioning.setPassword, {
      query: { contextId: id, userId: 2 },
      body: { password: 'changed' },
    });
    expect(await check('admin', PASSWORD)).toEqual({ accepted: false });
    expect(await check('admin', 'changed')).toEqual({ accepted: true, userId: 2 });
    for (let attempt = 0; attempt < 10; attempt++) await check('admin', 'guess', id, '198.51.100.77');
    expect(await codeOf(check('admin', 'changed', id, '198.51.100.77'))).toBe('SVL-0019');
    expect(await check('admin', 'changed')).toMatchObject({ accepted: true });
    await identity.call(provisioning.setContextState, { query: { contextId: id }, body: { enabled: false } });
    expect(await check('admin', 'changed')).toEqual({ accepted: false });
  });

  it('give room in a file store back when a reservation outlives its time', async () => {
    const store = await identity.call(installation.createFilestore, {
      body: { uri: `file://${path.join(identity.dataDir, 'small')}`, sizeMb: 1 },
    });
    const { id: contextId } = await createContext({ filestoreId: store.id });
    const reserve = () =>
      codeOf(
        identity.call(contextStorage.reserve, {
          principal: { kind: 'internal', service: 'attachments', contextId },
          query: { bytes: 700_000 },
        }),
      );
    expect(await reserve()).toBe('none');
    expect(await reserve()).toBe('FLS-0011');
    await until(async () => (await reserve()) === 'none');
  });

  describe('import', () => {
    let context: Awaited<ReturnType<typeof createContext>>;
    const importCsv = async (kind: string, csv: string, query: object = {}): Promise<Job & { result: any }> => {
      mkdirSync(identity.dataDir, { recursive: true });
      const store = new FolderStore(path.join(identity.dataDir, 'files'));
      const { reference } = await store.write(
        (async function* () {
          // In small pieces, so that characters and rows are cut anywhere.
          for (const byte of [Buffer.from(csv)].flatMap((all) => all.toString('latin1').match(/[\s\S]{1,7}/g) ?? []))
            yield Buffer.from(byte, 'latin1');
        })(),
        { maxBytes: 10_000_000 },
      );
      const job = await identity.call(provisioning.importObjects, {
        principal: contextAdmin(context.id),
        query: { contextId: context.id, kind, ...query },
        files: [{ reference }],
      });
      if (job.state !== 'running') expect(await store.size(reference)).toBeUndefined();
      return job;
    };

    beforeEach(async () => {
      context = await createContext();
    });

    const header = 'username;givenname;surname;e-mail;password;aliases;timezone;unknown column';
    const line = (name: string, parts: { zone?: string; password?: string } = {}) =>
      `${name};Ü ${name};"Sur;name ${name}";${name}@${context.domain};${parts.password ?? 'pw'};"${name}.a@${context.domain},${name}.b@${context.domain}";${parts.zone ?? 'Europe/Berlin'};x`;

    it('creates users row by row and reports the rows that fail', async () => {
      const csv = `\ufeff${[header, line('one'), line('two', { zone: 'Mars/Base' }), line('three'), line('one')].join('\r\n')}\r\n`;
      const job = await importCsv('users', csv);
      expect(job).toMatchObject({ kind: 'import-users', state: 'done', progress: 1, errors: [] });
      expect(job.result).toMatchObject({ rows: 4, created: 2, changed: 0, unchanged: 0, disabled: 0 });
      expect(job.result.errors).toEqual([
        expect.objectContaining({ row: 3, code: 'USR-0024' }),
        expect.objectContaining({ row: 5, code: 'PROV-0001' }),
      ]);
      const { items } = await identity.call(provisioning.listUsers, { query: { contextId: context.id, q: 'one' } });
      expect(items).toMatchObject([
        { name: 'one', givenName: 'Ü one', surname: 'Sur;name one', timezone: 'Europe/Berlin' },
      ]);
      expect(items[0].aliases).toHaveLength(3);
      expect((await identity.login(`one@${context.name}`, 'pw')).json.session).toBeDefined();
    });

    it('says of each row among many what one row alone would say, also when rows depend on each other', async () => {
      await identity.call(provisioning.createGroup, { query: { contextId: context.id }, body: { name: 'Team' } });
      const groupOf = async () =>
        (await identity.call(provisioning.listGroups, { query: { contextId: context.id, q: 'Team' } })).items[0];
      const before = await groupOf();
      const cells = (name: string, parts: object = {}) => {
        const row = {
          name,
          surname: name.toUpperCase(),
          email: `${name}@${context.domain}`,
          display: '',
          groups: '',
          ...parts,
        };
        return Object.values(row).join(';');
      };
      const names = Array.from({ length: 40 }, (_none, index) => `m${index}`);
      const rows = [
        ...names.map((name) => cells(name, { groups: 'team' })),
        cells('m3', { surname: 'Again' }),
        cells('same-address', { email: `M7@${context.domain}` }),
        cells('same-display', { display: 'm8' }),
        cells('no-group', { groups: 'nobody' }),
        cells('nul', { surname: 'a\u0000b' }),
        cells('fine', { display: 'Fine' }),
      ];
      const csv = ['name;surname;email;displayname;groups;password', ...rows.map((row) => `${row};pw`)].join('\n');
      const { result } = await importCsv('users', csv, { mode: 'upsert' });
      expect(result).toMatchObject({ rows: 46, created: 41, changed: 1 });
      expect(result.errors).toMatchObject([
        { row: 43, code: 'PROV-0002' },
        { row: 44, code: 'PROV-0005' },
        { row: 45, field: 'groups', code: 'PROV-0019' },
        { row: 46, code: 'SVL-0031' },
      ]);
      const after = await groupOf();
      expect(after.members).toHaveLength(40);
      expect(after.version).toBeGreaterThan(before.version);
      const [third] = (await identity.call(provisioning.listUsers, { query: { contextId: context.id, q: 'm3' } }))
        .items;
      expect(third).toMatchObject({ surname: 'Again', groups: [0, 1, after.id] });
      const told = await identity.sql(
        `select count(*)::int as created from audit_entry where context_id = $1 and action = 'create' and kind = 'user'`,
        [context.id],
      );
      // The administrator is the other one.
      expect(told).toEqual([{ created: 42 }]);
    });

    it('creates no more users than the reseller of the context may have', async () => {
      await identity.call(resellers.putReseller, {
        query: { reseller: 'narrow' },
        body: { displayName: 'Narrow', password: PASSWORD, restrictions: { maxUsers: 3 } },
      });
      context = await createContext({ reseller: 'narrow' });
      const job = await importCsv('users', [header, ...['one', 'two', 'three'].map((name) => line(name))].join('\n'));
      expect(job.result).toMatchObject({ created: 2, errors: [{ row: 4, code: 'RSL-0006' }] });
    });

    it('changes, leaves alone, and creates in mode upsert', async () => {
      await importCsv('users', [header, line('one'), line('two')].join('\n'));
      const again = [header, line('one'), line('two', { zone: 'Asia/Tokyo' }), line('new')].join('\n');
      const job = await importCsv('users', again, { mode: 'upsert' });
      expect(job.result).toMatchObject({ created: 1, changed: 1, unchanged: 1, errors: [] });
    });

    it('sets mail servers, named whole as the original does or part by part', async () => {
      const csv = [
        'username;surname;email;password;imapserver;imaplogin;smtpserver;smtp_port',
        `one;One;one@${context.domain};pw;imaps://imap.test:1993;mail-one;smtp.test;587`,
        `two;Two;two@${context.domain};pw;pop3://imap.test;;;`,
        `three;Three;three@${context.domain};pw;;mail-three;;`,
      ].join('\n');
      const { result } = await importCsv('users', csv);
      expect(result).toMatchObject({ created: 2, errors: [{ row: 3, field: 'imap.host', code: 'PROV-0019' }] });
      const { items } = await identity.call(provisioning.listUsers, { query: { contextId: context.id } });
      const [, one, three] = items;
      expect(one.imap).toEqual({ host: 'imap.test', port: 1993, secure: true, starttls: false, login: 'mail-one' });
      expect(one.smtp).toEqual({ host: 'smtp.test', port: 587, secure: false, starttls: false });
      expect([three.imap, three.smtp]).toEqual([{ login: 'mail-three' }, undefined]);
      const again = await importCsv('users', `${csv.replace(':1993', ':993')}\n`, { mode: 'upsert' });
      expect(again.result).toMatchObject({ changed: 1, unchanged: 1 });
    });

    it('changes nothing in a dry run', async () => {
      const job = await importCsv('users', [header, line('one'), line('two', { zone: 'Mars/Base' })].join('\n'), {
        dryRun: true,
      });
      expect(job.result).toMatchObject({ rows: 2, created: 1, errors: [{ row: 3, code: 'USR-0024' }] });
      expect((await identity.call(provisioning.listUsers, { query: { contextId: context.id } })).items).toHaveLength(1);
    });

    it('disables users that are missing in mode sync, but not too many and never the administrator', async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      await importCsv('users', [header, ...names.map((name) => line(name))].join('\n'));
      const few = [header, line('a'), line('b')].join('\n');
      expect(await codeOf(importCsv('users', few, { mode: 'sync' }))).toBe('PROV-0017');
      const most = [header, ...names.slice(1).map((name) => line(name))].join('\n');
      expect((await importCsv('users', most, { mode: 'sync' })).result).toMatchObject({ disabled: 1, unchanged: 5 });
      expect((await importCsv('users', few, { mode: 'sync', force: true })).result).toMatchObject({ disabled: 4 });
      const { items } = await identity.call(provisioning.listUsers, { query: { contextId: context.id } });
      const enabled = items.filter((user: ProvisionedUser) => user.enabled).map((user: ProvisionedUser) => user.name);
      expect(enabled).toEqual(['admin', 'b']);
    });

    describe('of users without password', () => {
      const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const recipient = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
      const opened = (encrypted: string): string =>
        privateDecrypt(
          { key: keys.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
          Buffer.from(encrypted, 'base64'),
        ).toString();
      const take = (jobId: string, query: object = {}, call: TestCall = {}) =>
        identity.call<ImportedPasswords>(provisioning.takePasswords, {
          principal: contextAdmin(context.id),
          query: { contextId: context.id, jobId, ...query },
          ...call,
        });
      const rows = (...names: string[]) =>
        ['name,surname,email,password', ...names.map((name) => `${name},S ${name},${name}@${context.domain},`)].join(
          '\n',
        );

      it('makes random ones that the policy allows and tells each once, to the caller alone', async () => {
        await identity.call(provisioning.setContextProperty, {
          principal: MASTER,
          query: { contextId: context.id, property: 'com.example.passwordchange.regexp' },
          body: { value: '[A-Z]{4}[0-9a-z]{9,}|[A-Z2-9]{12}' },
        });
        const mixed = `${rows('ann', 'bob')}\ncarl,S,carl@${context.domain},own-password\n`;
        const job = await importCsv('users', mixed, { passwords: 'random', recipient });
        expect(job.result).toMatchObject({ rows: 3, created: 3, errors: [] });
        const first = await take(job.id, { limit: 1 });
        expect(first).toMatchObject({ items: [{ row: 2, name: 'ann', kind: 'password' }], left: 1 });
        const again = { idempotencyKey: 'take-1' };
        const second = await take(job.id, {}, again);
        expect(second).toMatchObject({ items: [{ row: 3, name: 'bob', kind: 'password' }], left: 0 });
        expect(await take(job.id, {}, again)).toEqual(second);
        expect(await take(job.id)).toEqual({ items: [], left: 0 });
        const [ann, bob] = [...first.items, ...second.items].map(({ encrypted }) => opened(encrypted));
        expect(ann).not.toBe(bob);
        expect(ann).toMatch(/^(?:[A-Z]{4}[0-9a-z]{9,}|[A-Z2-9]{12})$/);
        for (const [name, password] of [
          ['ann', ann!],
          ['bob', bob!],
          ['carl', 'own-password'],
        ] as const)
          expect((await identity.login(`${name}@${context.name}`, password)).json).toHaveProperty('session');
        expect(await codeOf(identity.login(`ann@${context.name}`, bob!))).toBe('LGI-0006');
      });

      it('reports rows for which the policy allows none that can be made', async () => {
        await identity.call(provisioning.setContextProperty, {
          principal: MASTER,
          query: { contextId: context.id, property: 'com.example.passwordchange.regexp' },
          body: { value: 'the one word' },
        });
        const { result } = await importCsv('users', rows('ann'), { passwords: 'random', recipient });
        expect(result).toMatchObject({ created: 0, errors: [{ row: 2, field: 'password', code: 'PROV-0019' }] });
      });

      it('invites them: a token sets the password once, until it expires', async () => {
        const job = await importCsv('users', rows('ann', 'bob'), { passwords: 'invite', recipient });
        expect(job.result).toMatchObject({ created: 2, errors: [] });
        const { items } = await take(job.id);
        expect(items.map(({ kind }) => kind)).toEqual(['invite', 'invite']);
        const [ann, bob] = items.map(({ encrypted }) => opened(encrypted));
        const redeem = (token: string, password: string) =>
          identity.call(passwordchange.redeem, {
            principal: ANONYMOUS,
            body: { token, new_password: password },
            edge: { remoteAddress: '198.51.100.7' },
          });
        for (const guess of ['null', 'undefined', ann!])
          expect(await codeOf(identity.login(`ann@${context.name}`, guess))).toBe('LGI-0006');
        expect(await codeOf(redeem(ann!, 'short'))).toBe('USR-0020');
        await redeem(ann!, 'chosen by ann');
        expect((await identity.login(`ann@${context.name}`, 'chosen by ann')).json).toHaveProperty('session');
        expect(await codeOf(redeem(ann!, 'chosen by a thief'))).toBe('PROV-0020');
        const other = `${context.id + 1}${bob!.slice(bob!.indexOf('.'))}`;
        for (const wrong of [other, `${bob!.slice(0, -1)}!`, 'nonsense'])
          expect(await codeOf(redeem(wrong, 'long enough'))).toBe('PROV-0020');
        await identity.sql('update invitation set expires_at = 1');
        expect(await codeOf(redeem(bob!, 'long enough'))).toBe('PROV-0020');
      });

      it('voids an invitation when somebody sets the password', async () => {
        const job = await importCsv('users', rows('ann'), { passwords: 'invite', recipient });
        const [ann] = (await take(job.id)).items;
        const query = { contextId: context.id, userId: ann!.userId };
        await identity.call(provisioning.setPassword, { query, body: { password: 'set by the admin' } });
        const body = { token: opened(ann!.encrypted), new_password: 'chosen by ann' };
        expect(await codeOf(identity.call(passwordchange.redeem, { principal: ANONYMOUS, body }))).toBe('PROV-0020');
      });

      it('tells nothing of a dry run, and refuses calls without key, and rows as before where nobody asked', async () => {
        const dry = await importCsv('users', rows('ann'), { passwords: 'random', recipient, dryRun: true });
        expect(dry.result).toMatchObject({ created: 1, errors: [] });
        expect(await take(dry.id)).toEqual({ items: [], left: 0 });
        expect(await codeOf(importCsv('users', rows('ann'), { passwords: 'random' }))).toBe('PROV-0019');
        expect(await codeOf(importCsv('users', rows('ann'), { passwords: 'invite', recipient: 'none' }))).toBe(
          'PROV-0019',
        );
        const { result } = await importCsv('users', rows('ann'));
        expect(result).toMatchObject({ created: 0, errors: [{ row: 2, field: 'password', code: 'PROV-0019' }] });
      });
    });

    it('imports groups with members by name, and resources', async () => {
      await importCsv('users', [header, line('one'), line('two')].join('\n'));
      const groups = await importCsv('groups', 'name,display name,members\nTeam,The team,"one, two"\nBroken,,nobody\n');
      expect(groups.result).toMatchObject({ created: 1, errors: [{ row: 3, field: 'members', code: 'PROV-0019' }] });
      const rooms = `name\temail\ttype\tcapacity\nRoom\troom@${context.domain}\tROOM\t8\nBad\tnot an address\tROOM\tmany\n`;
      const resources = await importCsv('resources', rooms);
      expect(resources.result).toMatchObject({ created: 1, errors: [{ row: 3, code: 'PROV-0019' }] });
      expect((await importCsv('resources', rooms, { mode: 'upsert' })).result).toMatchObject({ unchanged: 1 });
    });

    it.each([
      ['an empty file', ''],
      ['no known column', 'foo,bar\n1,2\n'],
      ['a broken quote', 'name,email\n"a,b\n'],
    ])('fails as a whole for %s', async (_what, csv) => {
      const job = await importCsv('users', csv);
      expect(job).toMatchObject({ state: 'failed', errors: [{ code: 'PROV-0016' }] });
    });

    it('is done once per idempotency key', async () => {
      const store = new FolderStore(path.join(identity.dataDir, 'files'));
      const send = async () => {
        const bytes = Buffer.from([header, line('one')].join('\n'));
        const { reference } = await store.write(
          (async function* () {
            yield bytes;
          })(),
          { maxBytes: 10_000 },
        );
        const call = {
          query: { contextId: context.id, kind: 'users' },
          files: [{ reference }],
          idempotencyKey: 'import-1',
        };
        const job = await identity.call<Job>(provisioning.importObjects, call);
        expect(await store.size(reference)).toBeUndefined();
        return job;
      };
      const first = await send();
      expect(await send()).toEqual(first);
      expect(first.result).toMatchObject({ created: 1, errors: [] });
    });

    it('that lost its process is gone on with by another one, and no row is done twice', async () => {
      const rows = [header, line('one'), line('two', { zone: 'Mars/Base' }), line('three'), line('four')];
      const { id } = await importCsv('users', rows.slice(0, 3).join('\n'));
      const store = new FolderStore(path.join(identity.dataDir, 'files'));
      const bytes = Buffer.from(rows.join('\n'));
      const { reference } = await store.write(
        (async function* () {
          yield bytes;
        })(),
        { maxBytes: 10_000 },
      );
      await store.claim(reference);
      // As if the process had died after the third line of a longer file.
      await identity.sql(
        `update job set state = 'running', seen_at = 0, finished_at = null, runner = gen_random_uuid(),
           task = jsonb_set(task, '{reference}', to_jsonb($2::text)) where job_id = $1`,
        [id, reference],
      );
      const query = { contextId: context.id, jobId: id };
      let job: Job & { result: any };
      do job = await identity.call(provisioning.getJob, { query });
      while (job.state === 'running');
      expect(job).toMatchObject({ state: 'done', result: { rows: 4, created: 3 } });
      expect(job.result.errors).toEqual([expect.objectContaining({ row: 3, code: 'USR-0024' })]);
      expect(await store.size(reference)).toBeUndefined();
    });

    it('is cancelled by its administrator, and what it did stays', async () => {
      const { id } = await importCsv('users', [header, line('one')].join('\n'));
      const query = { contextId: context.id, jobId: id };
      // Ended jobs stay as they are.
      expect(await identity.call(provisioning.cancelJob, { query })).toMatchObject({ state: 'done' });
      await identity.sql(`update job set state = 'running', seen_at = 0, finished_at = null where job_id = $1`, [id]);
      await identity.call(provisioning.cancelJob, { query });
      let job: Job;
      do job = await identity.call(provisioning.getJob, { query });
      while (job.state === 'running');
      expect(['cancelled', 'failed']).toContain(job.state);
      const jobs = await identity.call(provisioning.listJobs, { query: { contextId: context.id, limit: 1 } });
      expect(jobs.items).toMatchObject([{ id, contextId: context.id, kind: 'import-users' }]);
    });

    it('takes people and groups of a directory as LDIF', async () => {
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const person = (uid: string, lines: string[]) => [
        `dn: uid=${uid},ou=people,o=x`,
        'objectClass: inetOrgPerson',
        ...lines,
        '',
      ];
      const ldif = [
        'version: 1',
        '# the tree itself is no person',
        'dn: ou=people,o=x',
        'objectClass: organizationalUnit',
        'ou: people',
        '',
        ...person('ann', [
          'uid: ann',
          `cn:: ${base64('Änn Example')}`,
          'sn: Exam',
          ' ple',
          'givenName: Ann',
          `mail: ann@${context.domain}`,
          `mail: ann.e@${context.domain}`,
          'telephoneNumber: +49 1',
          'preferredLanguage: de-DE, en;q=0.5',
          `userPassword:: ${base64('a secret of ann')}`,
        ]),
        ...person('bob', ['sn: B', `mail: bob@${context.domain}`, 'userPassword: {CRYPT}nothing']),
      ].join('\r\n');
      const job = await importCsv('users', ldif, { format: 'ldif' });
      expect(job.result).toMatchObject({ rows: 2, created: 1, errors: [{ row: 20, code: 'PROV-0018' }] });
      const { items } = await identity.call(provisioning.listUsers, { query: { contextId: context.id, q: 'ann' } });
      expect(items).toMatchObject([
        { name: 'ann', displayName: 'Änn Example', surname: 'Example', locale: 'de_DE', phones: { business: '+49 1' } },
      ]);
      expect(items[0].aliases).toEqual([`ann@${context.domain}`, `ann.e@${context.domain}`]);
      expect((await identity.login(`ann@${context.name}`, 'a secret of ann')).json.session).toBeDefined();
      const group = ['dn: cn=Team,o=x', 'objectClass: groupOfNames', 'cn: Team', 'member: uid=ann,ou=people,o=x'];
      const groups = await importCsv('groups', group.join('\n'), { format: 'ldif' });
      expect(groups.result).toMatchObject({ created: 1, errors: [] });
      const changes = [
        ...['dn: uid=ann,ou=people,o=x', 'changetype: modify', 'replace: sn', 'sn: Changed', '-', ''],
        ...['dn: uid=ann,ou=people,o=x', 'changetype: delete', ''],
        ...['dn: uid=nobody,ou=people,o=x', 'changetype: delete', ''],
      ].join('\n');
      const changed = await importCsv('users', changes, { format: 'ldif' });
      expect(changed.result).toMatchObject({ changed: 2, errors: [{ row: 10, field: 'name', code: 'PROV-0019' }] });
      const after = await identity.call(provisioning.listUsers, { query: { contextId: context.id, q: 'ann' } });
      expect(after.items).toMatchObject([{ surname: 'Changed', enabled: false }]);
      expect(await importCsv('users', 'no ldif at all', { format: 'ldif' })).toMatchObject({
        state: 'failed',
        errors: [{ code: 'PROV-0016' }],
      });
    });

    it('takes the pictures of a directory, and takes them for unchanged when they are', async () => {
      const png = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
        'base64',
      );
      const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
      const person = (name: string, picture: Buffer) => {
        const base64 = picture.toString('base64');
        return [
          ...[`dn: uid=${name},o=x`, 'objectClass: inetOrgPerson', 'sn: S', `mail: ${name}@${context.domain}`],
          // Folded, as directories write them.
          ...[`jpegPhoto:: ${base64.slice(0, 40)}`, ` ${base64.slice(40)}`, 'userPassword: a good password', ''],
        ].join('\n');
      };
      const send = async (text: string) => (await importCsv('users', text, { format: 'ldif', mode: 'upsert' })).result;
      const first = await send([person('pic', png), person('bad', Buffer.from('no picture'.repeat(9)))].join('\n'));
      expect(first).toMatchObject({ rows: 2, created: 1, errors: [{ row: 9, code: 'CON-0101' }] });
      const { items } = await identity.call(provisioning.listUsers, { query: { contextId: context.id, q: 'pic' } });
      expect(items).toMatchObject([{ name: 'pic', image: { contentType: 'image/png', sizeBytes: png.length } }]);
      expect(await send(person('pic', png))).toMatchObject({ unchanged: 1 });
      expect(await send(person('pic', gif))).toMatchObject({ changed: 1 });
      const user = await identity.call(provisioning.getUser, {
        query: { contextId: context.id, userId: items[0].id },
      });
      expect(user.image).toEqual({ contentType: 'image/gif', sizeBytes: gif.length, data: gif.toString('base64') });
      const changeOf = async () =>
        (await identity.call(provisioning.listUsers, { query: { contextId: context.id, q: 'pic' } })).items[0].image
          .contentType;
      // Another attribute, as a directory of another maker has it, and a column.
      const other = person('pic', png).replace('jpegPhoto', 'thumbnailPhoto');
      const mapped = await importCsv('users', other, {
        format: 'ldif',
        mode: 'upsert',
        map: ['thumbnailPhoto=image.data'],
      });
      expect(mapped.result).toMatchObject({ changed: 1, errors: [] });
      expect(await changeOf()).toBe('image/png');
      const csv = await importCsv('users', `name,image\npic,${gif.toString('base64')}`, { mode: 'upsert' });
      expect(csv.result).toMatchObject({ changed: 1, errors: [] });
      expect(await changeOf()).toBe('image/gif');
    });

    it('refuses contexts that do not exist', async () => {
      context = { ...context, id: 987_654 };
      expect(await codeOf(importCsv('users', 'name\n'))).toBe('CTX-0002');
    });
  });

  it('makes the demonstration once, keeps its passwords, and hides them from others', async () => {
    const first = await startIdentity({ GROUPWARE_DEMO: 'true' });
    try {
      const file = path.join(first.dataDir, 'demo.json');
      const demo = JSON.parse(readFileSync(file, 'utf8'));
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(demo.users).toHaveLength(10);
      expect((await first.login('anna@demo', demo.users[0].password)).json).toMatchObject({
        context_id: 1,
        locale: 'en_GB',
      });
      expect((await first.login('admin', demo.admin.password)).json.user_id).toBe(2);
      const list = async (operation: Operation) => (await first.call(operation, { query: { contextId: 1 } })).items;
      expect(await list(provisioning.listUsers)).toHaveLength(11);
      expect(await list(provisioning.listGroups)).toHaveLength(4);
      expect(await list(provisioning.listResources)).toHaveLength(3);
    } finally {
      await first.close();
    }
  });

  it('documents every property that sessions and logins read', () => {
    const undocumented = allProperties().filter(
      ({ key, doc }) => /session|cookie|login|IP/i.test(key) && doc.length < 20,
    );
    expect(undocumented).toEqual([]);
  });
});
