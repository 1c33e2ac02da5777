import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findFreePort, until } from '@groupware/test-kit';
import { Client } from '../client';
import { createEnvironment, type Environment } from '../test-environment';

const ROOT = path.join(__dirname, '..', '..');
const SCRIPT = path.join(ROOT, 'tools', 'start.mjs');
let environment: Environment;
let ports: { PORT: string; INTERNAL_PORT: string };
const launched: ChildProcess[] = [];
/** Lines of output that an error tells. */
const LAST_LINES = 20;

beforeAll(async () => {
  environment = await createEnvironment({ GROUPWARE_DEMO: 'true' });
  ports = { PORT: String(await findFreePort()), INTERNAL_PORT: String(await findFreePort()) };
});
afterAll(async () => {
  for (const child of launched.filter((each) => each.exitCode === null && each.signalCode === null)) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  if (environment) removeHome(environment.variables.DATA_DIR!);
  await environment?.drop();
}, 60_000);

/** Removes what servers keep elsewhere, where their account could not reach the data folder: see the launcher. */
function removeHome(dataDir: string): void {
  const link = path.join(dataDir, 'postgres-home');
  if (fs.existsSync(link)) fs.rmSync(fs.realpathSync(link), { recursive: true, force: true });
}

interface Launch {
  readonly child: ChildProcess;
  /** Everything it said so far. */
  readonly said: () => string;
  /** Resolves when it said something, rejects when it ends before. */
  readonly says: (pattern: RegExp) => Promise<RegExpMatchArray>;
  readonly exit: Promise<number | null>;
}

/** `npm start` with the servers of the test run. */
function launch(overrides: Record<string, string> = {}, args: string[] = []): Launch {
  const command = [process.execPath, SCRIPT, ...args];
  return follow(command, { ...process.env, ...environment.variables, ...ports, ...overrides });
}

function follow([file, ...args]: string[], env: NodeJS.ProcessEnv): Launch {
  const child = spawn(file!, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  launched.push(child);
  let text = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      text += data.toString();
      waiting.forEach((look) => look());
    });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const says = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text);
        if (match) resolve(match);
      };
      waiting.add(look);
      look();
      // On one line, the last words first: a report of failed tests shows no more of an error.
      const ending = () => text.trim().split('\n').slice(-LAST_LINES).reverse().join(' | ');
      void exit.then((code) => reject(new Error(`ended with ${code} without saying ${pattern}: ${ending()}`)));
    });
  return { child, said: () => text, says, exit };
}

async function loginOfDemo(dataDir = environment.variables.DATA_DIR!, person = 0): Promise<Client> {
  const demo = path.join(dataDir, 'demo.json');
  const { login, password } = JSON.parse(fs.readFileSync(demo, 'utf8')).users[person];
  const client = new Client(`http://127.0.0.1:${ports.PORT}`);
  await client.login(login, password);
  expect(client.session).not.toBe('');
  return client;
}

async function createAppointment(client: Client, fields: object): Promise<string> {
  const folders = await client.get('folders', 'allVisible', { content_type: 'calendar', columns: '1' });
  const body = { folder_id: folders.data.private[0][0], start_date: 1900000000000, end_date: 1900003600000, ...fields };
  const created = await client.put('calendar', 'new', {}, body);
  return String(created.data.id);
}

/** Ids and titles. Series are one row each: those of the demonstration, made some time after its logins, have no end. */
async function listAppointments(client: Client): Promise<string[][]> {
  const range = { start: 0, end: 4102444800000, recurrence_master: true };
  return (await client.get('calendar', 'all', { ...range, columns: '1,200' })).data;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const isFree = (port: string) =>
  fetch(`http://127.0.0.1:${port}/live`).then(
    () => false,
    () => true,
  );

describe('npm start', () => {
  let appointment: string;

  it('comes to its ready line, prints where it is and a login that works', async () => {
    const first = launch();
    await first.says(/^demo login: /m);
    expect(first.said()).toMatch(
      new RegExp(`^ready http://127.0.0.1:${ports.PORT} http://127.0.0.1:${ports.INTERNAL_PORT}$`, 'm'),
    );
    expect(first.said()).toContain(`explorer: http://127.0.0.1:${ports.PORT}/docs`);
    const client = await loginOfDemo();
    appointment = await createAppointment(client, { title: 'Kept' });
  }, 120_000);

  it('refuses ports that are taken, by name, and starts nothing', async () => {
    const second = launch();
    expect(await second.exit).toBe(1);
    for (const name of ['PORT', 'INTERNAL_PORT'] as const)
      expect(second.said()).toContain(`${name} ${ports[name]} is taken by another program`);
    expect(second.said()).not.toContain('building');
  }, 60_000);

  it('after a kill of the launcher takes over, and the data are there', async () => {
    const [first] = launched;
    first!.kill('SIGKILL');
    await once(first!, 'exit');
    const again = launch();
    await again.says(/^demo login: /m);
    const client = await loginOfDemo();
    expect(await listAppointments(client)).toContainEqual([appointment, 'Kept']);
  }, 120_000);

  it('ends what it started when it is told to, and nothing else', async () => {
    const running = launched.at(-1)!;
    expect(running.exitCode).toBeNull();
    const exit = once(running, 'exit');
    running.kill('SIGINT');
    expect((await exit)[0]).toBe(0);
    expect([await isFree(ports.PORT), await isFree(ports.INTERNAL_PORT)]).toEqual([true, true]);
    await expect(createEnvironment().then((other) => other.drop())).resolves.toBeUndefined();
  }, 60_000);

  it('ends with a reason when a server cannot be reached', async () => {
    const failing = launch({ DATABASE_URL: 'postgres://groupware@127.0.0.1:1/none' }, ['--no-demo']);
    expect(await failing.exit).toBe(1);
    expect(failing.said()).toContain('Not started');
    expect(failing.said()).toContain('ECONNREFUSED');
  }, 60_000);

  it('refuses arguments it does not know', async () => {
    const wrong = launch({}, ['--demo']);
    expect(await wrong.exit).toBe(1);
    expect(wrong.said()).toContain('unknown argument --demo');
  }, 60_000);
});

const PATIENCE_MS = 60_000;

describe('npm start with servers of its own', () => {
  let dataDir: string;
  let npm: Launch;
  let client: Client;
  let appointment: string;

  /** The process that a note in the data folder is about. */
  const pidOf = (name: string): number =>
    JSON.parse(fs.readFileSync(path.join(dataDir, `${name}.note.json`), 'utf8')).process.pid;
  const launcherPid = (): number =>
    JSON.parse(fs.readFileSync(path.join(dataDir, 'host.note.json'), 'utf8')).launcher.pid;
  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${ports.INTERNAL_PORT}/health`);
    return (await response.json()) as { status: string; checks: { name: string; status: string }[] };
  };
  /** Whether the session, what was written before, and writing still work. */
  const works = async (): Promise<boolean> => {
    try {
      const rows = await listAppointments(client);
      if (!rows.some(([id, title]) => id === appointment && title === 'Kept')) return false;
      const mails = await client.get('mail', 'all', { folder: 'default0/INBOX', columns: '600' });
      if (!(mails.data.length > 0)) return false;
      await createAppointment(client, { title: 'New' });
      return true;
    } catch {
      return false;
    }
  };

  beforeAll(async () => {
    dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-start-'));
    const { DATABASE_URL: _1, REDIS_URL: _2, NATS_URL: _3, ...own } = process.env;
    const programs = { PROGRAMS_DIR: path.join(ROOT, '.data', 'tools') };
    npm = follow(['npm', 'start'], { ...own, ...ports, ...programs, DATA_DIR: dataDir, GROUPWARE_DEMO: 'true' });
    await npm.says(/^demo login: /m);
    client = await loginOfDemo(dataDir);
    appointment = await createAppointment(client, { title: 'Kept' });
  }, 180_000);
  afterAll(() => {
    removeHome(dataDir);
    fs.rmSync(dataDir, { recursive: true, force: true });
  });

  describe('mailboxes', () => {
    const UNREAD = 0;
    const SEEN = 32;
    let ben: Client;
    beforeAll(async () => {
      ben = await loginOfDemo(dataDir, 1);
    });
    /** Subject, flags and whether there are attachments. */
    const mailsOf = async (of: Client, folder = 'INBOX'): Promise<[string, number, boolean][]> => {
      const columns = '607,611,602';
      const { data } = await of.get('mail', 'all', { folder: `default0/${folder}`, columns });
      return data.map(([subject, flags, hasFiles]: [string, number, boolean]) => [subject, flags & SEEN, hasFiles]);
    };
    const send = async (from: Client, to: string, subject: string): Promise<any> => {
      const mail = { to: [[null, to]], subject, attachments: [{ content_type: 'text/plain', content: 'Hello' }] };
      const form = new FormData();
      form.append('json_0', JSON.stringify({ from: [[null, 'anna@demo.example']], ...mail }));
      const query = { action: 'new', session: from.session, force_json_response: true, plainJson: true };
      return (await from.fetch('POST', '/mail', query, { body: form })).json();
    };

    it('of the demonstration hold a thread, an attachment, a picture and what nobody read yet', async () => {
      expect(await mailsOf(client)).toEqual(
        expect.arrayContaining([
          ['Figures of the second quarter', SEEN, true],
          ['Re: Booth at the Berlin Expo', SEEN, false],
          ['What is new in the next release', SEEN, expect.anything()],
          ['Lunch on Tuesday?', UNREAD, false],
        ]),
      );
      expect((await mailsOf(client, 'Sent')).map(([subject]) => subject)).toContain('Booth at the Berlin Expo');
      expect(await mailsOf(ben)).toEqual(
        expect.arrayContaining([
          ['Booth at the Berlin Expo', SEEN, false],
          ['Re: Booth at the Berlin Expo', UNREAD, false],
        ]),
      );
    });

    it('get what others send, sorted by rules that also send on, and nothing leaves the machine', async () => {
      const test = (value: string) => ({ id: 'subject', comparison: 'contains', values: [value] });
      const rules = [
        { test: test('minutes'), actioncmds: [{ id: 'move', into: 'default0/Archive', copy: false }] },
        { test: test('figures'), actioncmds: [{ id: 'redirect', to: 'anna@demo.example', copy: true }] },
      ];
      for (const rule of rules) expect(await ben.put('mailfilter/v2', 'new', {}, rule)).not.toHaveProperty('error');
      for (const subject of ['A note', 'The minutes', 'New figures'])
        expect(await send(client, 'ben@demo.example', subject)).not.toHaveProperty('error');
      const arrived = async (of: Client, subject: string, folder?: string) =>
        (await mailsOf(of, folder)).some(([each, flags]) => each === subject && flags === UNREAD);
      expect(await arrived(ben, 'A note')).toBe(true);
      expect(await arrived(ben, 'The minutes', 'Archive')).toBe(true);
      expect(await arrived(ben, 'New figures')).toBe(true);
      await until(() => arrived(client, 'New figures'), PATIENCE_MS);
      expect((await send(client, 'somebody@else.example', 'Away')).code).toBe('MSG-1013');
    });

    it('get the mails of the system, such as notices of invitations', async () => {
      const participants = [{ type: 1, id: ben.userId }];
      await createAppointment(client, { title: 'Walk', participants, notification: true, ignore_conflicts: true });
      const invitation = async () => {
        const { data } = await ben.get('mail', 'all', { folder: 'default0/INBOX', columns: '603,607' });
        return data.find(([, subject]: [unknown, string]) => subject.includes('Walk'));
      };
      await until(async () => (await invitation()) !== undefined, PATIENCE_MS);
      expect((await invitation())[0][0][1]).toBe('groupware@demo.example');
    });
  });

  it.each(['redis-server', 'nats-server', 'postgres', 'dovecot', 'host'])(
    'starts a killed %s again, and clients go on where they were',
    async (name) => {
      const killed = pidOf(name);
      process.kill(killed, 'SIGKILL');
      await until(() => pidOf(name) !== killed && works(), PATIENCE_MS);
      expect(npm.said()).toMatch(
        name === 'host' ? /the host ended with SIGKILL/ : `${name} (process ${killed}) has ended`,
      );
    },
    120_000,
  );

  it('says in /health what is missing until it is back', async () => {
    const launcher = launcherPid();
    process.kill(launcher, 'SIGSTOP');
    try {
      process.kill(pidOf('redis-server'), 'SIGKILL');
      await until(async () => {
        const { status, checks } = await health();
        return status === 'DOWN' && checks.some((check) => check.name === 'redis' && check.status === 'DOWN');
      }, PATIENCE_MS);
    } finally {
      process.kill(launcher, 'SIGCONT');
    }
    await until(async () => (await health()).status === 'UP', PATIENCE_MS);
    expect(await works()).toBe(true);
  }, 120_000);

  it('told no password of a server', () => {
    const passwords: string[] = Object.values(JSON.parse(fs.readFileSync(path.join(dataDir, 'servers.json'), 'utf8')));
    expect(passwords).toHaveLength(5);
    const { MAIL_ACCOUNT_GLOBAL_PASSWORD } = JSON.parse(fs.readFileSync(path.join(dataDir, 'secrets.json'), 'utf8'));
    for (const password of [...passwords, MAIL_ACCOUNT_GLOBAL_PASSWORD]) expect(npm.said()).not.toContain(password);
  });

  it('ends with npm, and leaves no process', async () => {
    const pids = [launcherPid(), ...['redis-server', 'nats-server', 'postgres', 'dovecot', 'host'].map(pidOf)];
    npm.child.kill('SIGTERM');
    await until(() => !pids.some(isAlive), PATIENCE_MS);
    expect(fs.readdirSync(dataDir).filter((name) => name.endsWith('.note.json'))).toEqual([]);
  }, 120_000);
});
