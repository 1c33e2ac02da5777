import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Bus, publicHalfOf } from '@groupware/messaging';
import { connectRedis } from '@groupware/sessions';
import { parse } from 'yaml';
import { debianProgram } from './debian.mjs';
import { programAtHand } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

const root = path.join(__dirname, '..', '..');
const { services } = parse(fs.readFileSync(path.join(root, 'docker', 'compose.yaml'), 'utf8'));

/** Runs the command of a service of the Compose file with the program of this machine and files below a folder of the test. */
async function startService(
  argv: readonly string[],
  program: string,
  replace: (text: string) => string,
  greeting: string,
  answer: RegExp,
): Promise<{ child: ChildProcess; port: number }> {
  const installed = programAtHand(program);
  const { file, env } = installed
    ? { file: installed, env: process.env }
    : (await debianProgram(path.join(root, '.data', 'tools'), program, [program]))!;
  return onFreePort(async (port: number) => {
    const [command, ...args] = argv.map((each) => replace(each).replaceAll('PORT', String(port)));
    const PATH = `${path.dirname(file)}:${process.env.PATH}`;
    const child = spawn(command!, args, { env: { ...env, PATH }, stdio: 'ignore' });
    await untilReady(() => answers(port, greeting, answer), child);
    return { child, port };
  });
}

const canStart = programAtHand('apt-get') || (programAtHand('redis-server') && programAtHand('nats-server'));
(canStart ? describe : describe.skip)('the servers of the Compose file', () => {
  const children: ChildProcess[] = [];
  let folder: string;
  const secret = (name: string) => fs.readFileSync(path.join(folder, 'secrets', name), 'utf8');

  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'compose-'));
    execFileSync('sh', [path.join(root, 'docker', 'make-secrets.sh'), path.join(folder, 'secrets')]);
  });
  afterAll(() => {
    for (const child of children) child.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('let the services into Redis, nobody else, and refuse them what is administrative', async () => {
    const inFolder = (text: string) => text.replace('/run/secrets', path.join(folder, 'secrets'));
    const argv = [...services.redis.command, '--port', 'PORT', '--bind', '127.0.0.1', '--dir', folder];
    const { child, port } = await startService(argv, 'redis-server', inFolder, 'PING\r\n', /^-NOAUTH/);
    children.push(child);
    const redis = await connectRedis(secret('redis-url').replace('@redis:6379', `@127.0.0.1:${port}`));
    await expect(redis.set('a', '1')).resolves.toBe('OK');
    await expect(redis.config('GET', 'dir')).rejects.toThrow(/NOPERM/);
    redis.disconnect();
  });

  it('have passwords that NATS does not take for numbers', () => {
    const signing = Buffer.from(secret('principal-key'), 'base64');
    expect(secret('principal-public-keys').trim()).toBe(publicHalfOf(signing).toString('base64'));
    const passwords = secret('nats-passwords').trim().split('\n');
    expect(passwords.length).toBeGreaterThan(5);
    for (const line of passwords) expect(line).toMatch(/^NATS_PASSWORD_[A-Z_]+=p[0-9a-f]{48}$/);
  });

  it('let each module into NATS as itself', async () => {
    for (const name of ['docker/nats.conf', 'k8s/components/bus-users/users.conf'])
      fs.copyFileSync(path.join(root, name), path.join(folder, path.basename(name)));
    const inFolder = (text: string) =>
      text
        .replace('/run/secrets', path.join(folder, 'secrets'))
        .replace('/etc/nats/groupware.conf', `${folder}/here.conf --addr 127.0.0.1 --port PORT`);
    const own = fs.readFileSync(path.join(folder, 'nats.conf'), 'utf8');
    fs.writeFileSync(
      path.join(folder, 'here.conf'),
      own.replace(/^(listen|http):.*$/gm, '').replace('"/data"', JSON.stringify(folder)),
    );
    const { child, port } = await startService(services.nats.entrypoint, 'nats-server', inFolder, 'PING\r\n', /^INFO /);
    children.push(child);
    const urlOf = (module: string) => secret(`nats-url-${module}`).replace('@nats:4222', `@127.0.0.1:${port}`);
    for (const module of ['gateway', 'mail-account']) {
      const bus = await Bus.connect({ url: urlOf(module) });
      await bus.flush();
      await bus.close();
    }
    await expect(Bus.connect({ url: `nats://127.0.0.1:${port}` })).rejects.toThrow(/authorization/i);
    await expect(Bus.connect({ url: urlOf('gateway').replace('//gateway', '//push') })).rejects.toThrow(
      /authorization/i,
    );
  });
});
