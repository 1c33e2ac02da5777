import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { problemsOfCompose } from './compose.mjs';
import { modulesWithNeeds } from './module-lists.mjs';

const root = path.join(__dirname, '..', '..');
const shipped = fs.readFileSync(path.join(root, 'docker', 'compose.yaml'), 'utf8');
const modules = modulesWithNeeds(root);
const problems = (text: string): string[] => problemsOfCompose(text, modules);

const connectionsOf = (all: readonly { hasSchema: boolean }[]): number =>
  all.reduce((sum, { hasSchema }) => sum + (hasSchema ? 11 : 3), 20);

describe('the Compose file', () => {
  it('can be used as it is', () => {
    expect(problems(shipped)).toEqual([]);
  });

  it.each([
    [
      'POSTGRES_PASSWORD_FILE: /run/secrets/postgres-superuser-password',
      'POSTGRES_PASSWORD: secret',
      'postgres: POSTGRES_PASSWORD is written in the file',
    ],
    [
      'POSTGRES_PASSWORD_FILE: /run/secrets/postgres-superuser-password',
      'POSTGRES_PASSWORD: ${PASSWORD:-x}',
      'postgres: POSTGRES_PASSWORD is written in the file',
    ],
    [
      'POSTGRES_HOST_AUTH_METHOD: scram-sha-256',
      'POSTGRES_HOST_AUTH_METHOD: trust',
      'postgres: takes connections without scram',
    ],
    ["'--aclfile', '/run/secrets/redis-users'", "'--bind', '0.0.0.0'", 'redis: asks for no password'],
    ["'--appendonly', 'yes'", "'--appendonly', 'no'", 'redis: has no append-only file'],
    ['users.conf:/etc/nats/users.conf:ro', 'users.conf:/etc/nats/others.conf:ro', 'nats: has no users'],
    [
      'NATS_URL_FILE: /run/secrets/nats-url',
      'NATS_URL: nats://any:body@nats:4222',
      'calendar: NATS_URL has a login in the file',
    ],
    ['FILESTORE_URL: file', 'GROUPWARE_DEMO: true\n  FILESTORE_URL: file', 'calendar: makes a demo context'],
    ['FILESTORE_URL: file', 'GROUPWARE_DEMO: ${DEMO:-true}\n  FILESTORE_URL: file', 'gateway: makes a demo context'],
    ['    restart: unless-stopped\n    healthcheck:', '    healthcheck:', 'redis: is not restarted'],
    ["'127.0.0.1:8081:8081'", "'8081:8081'", 'gateway: the port 8081:8081 is open to other machines'],
    ['GATEWAY_TRUSTED_PROXIES:', 'TRUSTED_PROXIES:', 'gateway: does not know its proxy'],
    ['GROUPWARE_MODULES: calendar', 'GROUPWARE_MODULES: folders', 'no service hosts the module calendar'],
    ['      - files:/data/files\n', '', 'mail: does not share the files'],
    ['      - outside\n', '', 'files: reaches no server outside'],
    ['source: nats-url-tasks', 'source: nats-url-files', 'tasks: logs in to NATS as another module'],
    ['      REDIS_URL_FILE: /run/secrets/redis-url\n', '', 'mail-filter: has no address of Redis'],
    ['      GROUPWARE_SECRET_KEY_FILE: /run/secrets/secret-key\n', '', 'push: has no secret key'],
    [
      'max_connections=200',
      'max_connections=100',
      `postgres: has 100 connections, the modules may need ${connectionsOf(modules)}`,
    ],
  ])('fails when %s becomes "%s"', (good, bad, problem) => {
    expect(shipped).toContain(good);
    expect(problems(shipped.replaceAll(good, bad))).toContain(problem);
  });

  it('needs the files that the script makes once, no others', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'secrets-'));
    try {
      const make = () => execFileSync('sh', [path.join(root, 'docker', 'make-secrets.sh'), folder]);
      const read = () =>
        Object.fromEntries(
          fs.readdirSync(folder).map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]),
        );
      make();
      const made = read();
      expect(Object.values(parse(shipped).secrets)).toEqual(
        Object.keys(made)
          .sort()
          .map((name) => ({ file: `./secrets/${name}` })),
      );
      expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
      expect(Buffer.from(made['secret-key']!, 'base64')).toHaveLength(32);
      make();
      expect(read()).toEqual(made);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});
