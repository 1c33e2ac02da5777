import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startSettings } from './start-settings.mjs';

let dataDir: string;
beforeEach(() => {
  dataDir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'start-settings-')), 'data');
});
afterEach(() => fs.rmSync(path.dirname(dataDir), { recursive: true }));

const settings = (environment: Record<string, string> = {}, args: string[] = []) =>
  startSettings({ DATA_DIR: dataDir, ...environment }, args, '/nowhere');

describe('settings of npm start', () => {
  it('have defaults that work on a laptop', () => {
    expect(settings()).toMatchObject({
      dataDir,
      port: 8080,
      internalPort: 8081,
      env: {
        PORT: '8080',
        INTERNAL_PORT: '8081',
        BASE_PATH: '/',
        DATA_DIR: dataDir,
        FILESTORE_URL: `file://${dataDir}/files`,
        GROUPWARE_DEMO: 'true',
        GROUPWARE_MASTER_LOGIN: 'master',
      },
    });
  });

  it('make secrets once, keep them for the owner of the folder alone, and tell them once', () => {
    const first = settings();
    const second = settings();
    expect(Object.keys(first.made)).toEqual([
      'GROUPWARE_MASTER_PASSWORD',
      'GROUPWARE_PRINCIPAL_KEY',
      'GROUPWARE_SECRET_KEY',
      'MAIL_ACCOUNT_GLOBAL_PASSWORD',
    ]);
    expect(Buffer.from(first.env.GROUPWARE_SECRET_KEY!, 'base64')).toHaveLength(32);
    expect(second.made).toEqual({});
    expect(second.env).toEqual(first.env);
    expect(fs.statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('leave alone what the environment gives, by value or by file', () => {
    settings();
    const given = settings({
      GROUPWARE_MASTER_PASSWORD: 'given',
      GROUPWARE_SECRET_KEY_FILE: '/run/key',
      BASE_PATH: '/ajax',
    });
    expect(given.env).not.toHaveProperty('GROUPWARE_MASTER_PASSWORD');
    expect(given.env).not.toHaveProperty('GROUPWARE_SECRET_KEY');
    expect(given.env.BASE_PATH).toBe('/ajax');
  });

  it.each([
    [{}, ['--no-demo']],
    [{ GROUPWARE_DEMO: 'false' }, []],
  ])('make no demo context with %j %j', (environment, args) => {
    expect(settings(environment as Record<string, string>, args).env.GROUPWARE_DEMO).toBe('false');
  });

  it.each([
    [{ PORT: 'eighty' }, [], 'PORT=eighty is not a port'],
    [{ INTERNAL_PORT: '65536' }, [], 'INTERNAL_PORT=65536 is not a port'],
    [{ PORT: '9000', INTERNAL_PORT: '9000' }, [], 'PORT and INTERNAL_PORT are both 9000'],
    [{}, ['--demo'], 'unknown argument --demo'],
  ])('refuse %j %j', (environment, args, problem) => {
    expect(() => settings(environment as Record<string, string>, args)).toThrow(problem);
  });
});
