import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  calendar,
  calendarFolders,
  directory,
  operationsOf,
  sessionAdministration,
  type Operation,
  type Principal,
  type UserPrincipal,
} from '@groupware/contracts';
import { busUsers, loadModules, modules } from '@groupware/host';
import { Bus, Caller, publicHalfOf, type BusCredentials, type PrincipalKeys } from '@groupware/messaging';
import { runServices, type RunningServices } from '@groupware/service-kit';
import { testAuthority } from '@groupware/test-kit';
import { connect, nkeys, type MsgHdrs, type NatsConnection } from 'nats';
import { Client } from '../../e2e/client';
import { createEnvironment, type Environment } from '../../e2e/test-environment';
import { debianProgram } from './debian.mjs';
import { programAtHand } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

const programsDir = path.join(__dirname, '..', '..', '.data', 'tools');
// One process of several modules among those of one.
const groups = ['gateway', 'identity', 'calendar', 'folders,freebusy', 'mail-account', 'attachments', 'admin', 'push'];
const userOf = (group: string) => group.split(',').sort().join('+');

let folder: string;
let server: ChildProcess;
let port: number;
let environment: Environment;
const running: RunningServices[] = [];
const log = () => fs.readFileSync(path.join(folder, 'nats.log'), 'utf8');
const signingKey = () => Buffer.from(environment.variables.GROUPWARE_PRINCIPAL_KEY!, 'base64');
const publicKey = () => publicHalfOf(signingKey()).toString('base64');
const urlOf = (group: string) => `nats://${userOf(group)}:password-of-${userOf(group)}@127.0.0.1:${port}`;

async function natsServer(): Promise<{ file: string; env: NodeJS.ProcessEnv }> {
  const installed = programAtHand('nats-server');
  if (installed) return { file: installed, env: process.env };
  return (await debianProgram(programsDir, 'nats-server', ['nats-server']))!;
}

const haveServer = programAtHand('nats-server') || programAtHand('apt-get');
(haveServer ? describe : describe.skip)('a bus whose users may do what their modules need', () => {
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bus-users-'));
    const program = await natsServer();
    const passwords = Object.fromEntries(
      groups.map((group) => [
        `NATS_PASSWORD_${userOf(group)
          .toUpperCase()
          .replace(/[^A-Z0-9]/g, '_')}`,
        `password-of-${userOf(group)}`,
      ]),
    );
    const users = await busUsers(groups);
    for (const password of Object.values(passwords)) expect(users).not.toContain(password);
    server = await onFreePort(async (free: number) => {
      port = free;
      const file = path.join(folder, 'nats.conf');
      const own = `listen: "127.0.0.1:${free}"\nlog_file: "${folder}/nats.log"\njetstream: { store_dir: "${folder}" }\n`;
      fs.writeFileSync(file, own + users);
      const child = spawn(program.file, ['-c', file], { env: { ...program.env, ...passwords }, stdio: 'ignore' });
      await untilReady(() => answers(free, 'PING\r\n', /^INFO /), child);
      return child;
    });
    environment = await createEnvironment({ GROUPWARE_BUS_PREFIX: 'gw', GROUPWARE_DEMO: 'true' });
    // The gateway comes last: the demo is made when it is there.
    for (const group of [...groups.slice(1), groups[0]!]) {
      const { GROUPWARE_PRINCIPAL_KEY, ...shared } = environment.variables;
      const keys = group === 'gateway' ? { GROUPWARE_PRINCIPAL_KEY } : { GROUPWARE_PRINCIPAL_PUBLIC_KEYS: publicKey() };
      const variables = { ...shared, ...keys, NATS_URL: urlOf(group) };
      running.push(await runServices(await loadModules(group.split(',')), variables));
    }
  }, 180_000);
  afterAll(async () => {
    for (const each of running.reverse()) await each.close();
    server?.kill();
    await environment?.drop();
    fs.rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  it('carries a login, folders, an appointment and its reminder without a violation', async () => {
    const demo = path.join(environment.variables.DATA_DIR!, 'demo.json');
    const [{ login, password }] = JSON.parse(fs.readFileSync(demo, 'utf8')).users;
    const client = new Client(running.at(-1)!.publicUrl!);
    await client.login(login, password);
    const folders = await client.get('folders', 'allVisible', { content_type: 'calendar', columns: '1' });
    const folderId = folders.data.private[0][0];
    const day = { start_date: 1_900_000_000_000, end_date: 1_900_003_600_000 };
    const created = await client.put('calendar', 'new', {}, { title: 'Kept', folder_id: folderId, alarm: 5, ...day });
    expect(created.error).toBeUndefined();
    const range = { start: 0, end: 4_102_444_800_000, columns: '1,200' };
    const rows = await client.get('calendar', 'all', range);
    expect(rows.data).toContainEqual([String(created.data.id), 'Kept']);
    const busy = await client.get('calendar', 'freebusy', { ...range, id: client.userId, type: 1 });
    expect(busy.error).toBeUndefined();
    const health = await fetch(`${running.at(-1)!.internalUrl}/health`);
    expect(await health.json()).toMatchObject({ status: 'UP' });
    expect(log()).not.toMatch(/Violation/);
  }, 60_000);

  it('is asked for nothing that a service did not declare', async () => {
    const definitions = await loadModules(Object.keys(modules));
    for (const { name, contracts } of definitions)
      for (const { subject, service } of contracts.flatMap(operationsOf))
        expect([subject, service]).toEqual([subject, name]);
    const bus = await Bus.connect({ url: urlOf('calendar') });
    const caller = new Caller(bus);
    const forService = caller.forService({ name: 'calendar', calls: [sessionAdministration.resolveMail as Operation] });
    const principal = { kind: 'internal', service: 'calendar', contextId: 1 } as const;
    const deadline = Date.now() - 1; // ends before the bus is asked
    const call = (operation: Operation) => forService.call(operation, { principal, deadline });
    await expect(call(calendar.new as Operation)).rejects.toThrow(/declaring/);
    await expect(call(directory.entities as Operation)).rejects.toMatchObject({ code: 'SVL-0033' });
    await expect(call(sessionAdministration.resolveMail as Operation)).rejects.toMatchObject({ code: 'SVL-0033' });
    await bus.close();
  });

  describe('refuses a module that was taken over', () => {
    let thief: NatsConnection;
    beforeAll(async () => {
      thief = await connect({ servers: `127.0.0.1:${port}`, user: 'calendar', pass: 'password-of-calendar' });
    });
    afterAll(() => thief?.close());

    it.each([
      ['calls what only clients may call', 'gw.svc.user.update'],
      ['calls its own operations on behalf of others', 'gw.svc.calendar.new'],
      ['calls what only another module may call', 'gw.svc.guests.invite'],
      ['asks for a password', 'gw.svc.authentication.prove'],
      ['answers a call that went to another module', 'gw.inbox.gateway.identity.nonce.1'],
      ['publishes an event of another module', 'gw.event.identity.context.deleting'],
    ])('that %s', async (_what, subject) => {
      thief.publish(subject, '{}');
      await thief.flush();
      expect(log()).toContain(`Publish Violation - User "calendar", Subject "${subject}"`);
    });

    it.each([
      ['hears the answers to others', 'gw.inbox.gateway.>'],
      ['takes calls of another module', 'gw.svc.authentication.prove'],
      ['hears everything', '>'],
    ])('that %s', async (_what, subject) => {
      const subscription = thief.subscribe(subject, { callback: () => undefined });
      await thief.flush();
      expect(log()).toContain(`Subscription Violation - User "calendar", Subject "${subject}"`);
      subscription.unsubscribe();
    });

    describe('that acts as a user', () => {
      const buses: Bus[] = [];
      /** Calls with the login of the folders, which may ask the calendar for the folders of a user. */
      async function callWith(
        keys: PrincipalKeys,
        principal: Principal,
        change = (_headers: MsgHdrs): void => undefined,
      ) {
        const bus = await Bus.connect({ url: urlOf('folders,freebusy'), client: 'folders+freebusy', principals: keys });
        buses.push(bus);
        const write = bus.principals.write.bind(bus.principals);
        bus.principals.write = (headers, ...rest) => {
          write(headers, ...rest);
          change(headers);
        };
        return new Caller(bus).call(calendarFolders.rights, { principal, query: { ids: [99_999] } } as never);
      }
      const own = { kind: 'internal', service: 'folders', contextId: 1 } as const;
      const user: UserPrincipal = {
        ...{ kind: 'user', contextId: 1, userId: 3, groups: [0], locale: 'en_US', timeZone: 'UTC', sessionId: 's' },
        ...{ capabilities: ['calendar'], login: 'ann', displayName: 'Ann', email: 'ann@example.com' },
      };
      const refusal = { code: 'SVL-0011' };
      const signing = () => ({ signing: signingKey() });
      afterAll(() => Promise.all(buses.map((bus) => bus.close())));

      it('is served with the key of the gateway only: these calls would succeed otherwise', async () => {
        expect(await callWith(signing(), { ...own, user })).toEqual([]);
      });

      it('without a proof, or with one of its own', async () => {
        await expect(callWith({}, { ...own, user })).rejects.toMatchObject(refusal);
        await expect(callWith({}, user)).rejects.toMatchObject(refusal);
        await expect(callWith({ signing: randomBytes(32) }, { ...own, user })).rejects.toMatchObject(refusal);
      });

      it('with the proof of a call that it served', async () => {
        let seen = '';
        await callWith(signing(), { ...own, user }, (headers) => void (seen = headers.get('Principal-Proof')));
        const replay = (principal: Principal, proof = seen) =>
          callWith({}, principal, (headers) => headers.set('Principal-Proof', proof));
        await expect(replay({ ...own, user: { ...user, userId: 2 } })).rejects.toMatchObject(refusal);
        await expect(replay({ ...own, contextId: 2, user })).rejects.toMatchObject(refusal);
        const [until, signature] = seen.split('.') as [string, string];
        await expect(replay({ ...own, user }, `${Number(until) + 60_000}.${signature}`)).rejects.toMatchObject(refusal);
        await expect(replay({ kind: 'master', login: 'master' })).rejects.toMatchObject(refusal);
      });
    });
  });
});

(haveServer ? describe : describe.skip)('a bus with TLS that knows its clients by key and certificate', () => {
  const authority = testAuthority();
  const client = authority.issue(['calendar']);
  let place: string;
  let child: ChildProcess;
  let address: string;
  const user = nkeys.createUser();
  const nkeySeed = Buffer.from(user.getSeed()).toString();

  beforeAll(async () => {
    place = fs.mkdtempSync(path.join(os.tmpdir(), 'bus-tls-'));
    const { cert, key } = authority.issue(['localhost', '127.0.0.1']);
    for (const [name, text] of Object.entries({ 'ca.pem': authority.cert, 'cert.pem': cert, 'key.pem': key }))
      fs.writeFileSync(path.join(place, name), text);
    const program = await natsServer();
    child = await onFreePort(async (free: number) => {
      address = `127.0.0.1:${free}`;
      fs.writeFileSync(
        path.join(place, 'nats.conf'),
        `listen: "${address}"
        tls: { cert_file: "${place}/cert.pem", key_file: "${place}/key.pem", ca_file: "${place}/ca.pem", verify: true }
        authorization: { users: [{ nkey: ${user.getPublicKey()} }] }\n`,
      );
      const started = spawn(program.file, ['-c', path.join(place, 'nats.conf')], { env: program.env, stdio: 'ignore' });
      await untilReady(() => answers(free, 'PING\r\n', /^INFO /), started);
      return started;
    });
  }, 60_000);
  afterAll(() => {
    child?.kill();
    fs.rmSync(place, { recursive: true, force: true });
  });

  it('takes who has both, and nobody else', async () => {
    const both = { nkeySeed, authority: authority.cert, certificate: client.cert, key: client.key };
    const url = `tls://${address}`;
    const refused = (credentials: BusCredentials, reason: RegExp) =>
      expect(Bus.connect({ url, credentials })).rejects.toThrow(reason);
    const bus = await Bus.connect({ url, credentials: both });
    await bus.flush();
    await bus.close();
    await refused({ ...both, nkeySeed: Buffer.from(nkeys.createUser().getSeed()).toString() }, /authorization/i);
    await refused({ ...both, certificate: undefined, key: undefined }, /certificate|closed|disconnect|reset|timeout/i);
    await refused({ ...both, authority: undefined }, /certificate/i);
  }, 60_000);

  it('is not taken for one by a client that wants TLS when it speaks none', async () => {
    const plain = new URL(process.env.NATS_URL!);
    const login = `${plain.username}:${plain.password}`;
    await expect(Bus.connect({ url: `tls://${login}@${plain.host}` })).rejects.toThrow(/tls/i);
  });
});
