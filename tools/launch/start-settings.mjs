import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The settings of `npm start`: what the environment says, else a default. Secrets not given are made once and kept.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string[]} args of the command line
 * @param {string} root the checkout
 * @returns {{ dataDir: string, port: number, internalPort: number, env: Record<string, string>, made: Record<string, string> }}
 *   env: for the host; made: secrets that were made just now, to be told once
 * @throws for an argument or value that cannot be used
 */
export function startSettings(environment, args, root) {
  const unknown = args.filter((arg) => arg !== '--no-demo');
  if (unknown.length) throw new Error(`unknown argument ${unknown.join(' ')}; the only one is --no-demo`);
  const dataDir = path.resolve(root, environment.DATA_DIR || '.data');
  const port = portOf(environment, 'PORT', 8080);
  const internalPort = portOf(environment, 'INTERNAL_PORT', 8081);
  if (port === internalPort && port !== 0) throw new Error(`PORT and INTERNAL_PORT are both ${port}`);

  fs.mkdirSync(dataDir, { recursive: true });
  const { secrets, made } = keptSecrets(path.join(dataDir, 'secrets.json'), environment);
  return {
    dataDir,
    port,
    internalPort,
    made,
    env: {
      BASE_PATH: environment.BASE_PATH || '/',
      FILESTORE_URL: environment.FILESTORE_URL || pathToFileURL(path.join(dataDir, 'files')).href,
      GROUPWARE_MASTER_LOGIN: environment.GROUPWARE_MASTER_LOGIN || 'master',
      GROUPWARE_DEMO: String(environment.GROUPWARE_DEMO !== 'false' && !args.includes('--no-demo')),
      ...secrets,
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      DATA_DIR: dataDir,
    },
  };
}

function portOf(environment, name, fallback) {
  const text = environment[name] || String(fallback);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new Error(`${name}=${text} is not a port`);
  return port;
}

const makers = {
  GROUPWARE_MASTER_PASSWORD: () => randomBytes(18).toString('base64url'),
  GROUPWARE_PRINCIPAL_KEY: () => randomBytes(32).toString('base64'),
  GROUPWARE_SECRET_KEY: () => randomBytes(32).toString('base64'),
  // Of the mailboxes of the demonstration.
  MAIL_ACCOUNT_GLOBAL_PASSWORD: () => randomBytes(24).toString('base64url'),
};

function keptSecrets(file, environment) {
  const kept = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  const made = {};
  for (const [name, make] of Object.entries(makers))
    if (!environment[name] && !environment[`${name}_FILE`] && !kept[name]) made[name] = make();
  if (Object.keys(made).length) {
    Object.assign(kept, made);
    fs.writeFileSync(`${file}.new`, JSON.stringify(kept, undefined, 2), { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
  }
  // A value of the environment, or a file it names, comes before what was kept.
  const given = (name) => environment[name] || environment[`${name}_FILE`];
  return { made, secrets: Object.fromEntries(Object.entries(kept).filter(([name]) => !given(name))) };
}
