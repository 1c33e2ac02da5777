import { parse } from 'yaml';
import { connectionsOfPod, OF_OTHERS } from './connections.mjs';

/** A value that stands in the file itself, or as the default of a variable. */
const isWritten = (value) => typeof value === 'string' && !/^(\$\{\w+(:\?[^}]*)?\})?$/.test(value);
const holdsLogin = (value) => /:\/\/[^/\s]*:[^/\s]*@/.test(value);

/**
 * Checks what a Compose file must have to be used as it is: servers that ask for passwords, none of them in the file, no demo,
 * everything restarted, a gateway that knows its proxy, and all that each module needs.
 * @param {string} text
 * @param {readonly { name: string, ways: readonly string[], settings: readonly string[], hasSchema: boolean }[]} modules every module
 *   of the product: ways out that it needs, classes of settings that it has, whether it connects to Postgres
 * @returns {string[]} one sentence per problem
 */
export function problemsOfCompose(text, modules) {
  const { services = {}, secrets = {} } = parse(text, { merge: true });
  const problems = Object.entries(services).flatMap(([name, service]) =>
    [...problemsOfService(service), ...(serverRules[name]?.(service) ?? [])].map((problem) => `${name}: ${problem}`),
  );
  for (const name of Object.keys(serverRules)) if (!services[name]) problems.push(`there is no service ${name}`);
  for (const module of modules) {
    const host = Object.entries(services).find(([, { environment }]) => environment?.GROUPWARE_MODULES === module.name);
    if (!host) problems.push(`no service hosts the module ${module.name}`);
    else problems.push(...problemsOfModule(module, host[1]).map((problem) => `${host[0]}: ${problem}`));
  }
  problems.push(...problemsOfConnections(services.postgres, modules));
  const used = Object.values(services).flatMap(({ secrets: own = [] }) => own.map((each) => each.source ?? each));
  for (const name of Object.keys(secrets))
    if (!used.includes(name)) problems.push(`no service uses the secret ${name}`);
  return problems;
}

/** Checks what the module of a service needs of it. */
function problemsOfModule({ name, ways, settings }, { environment, networks = [], secrets = [], volumes }) {
  const has = (secret, target = secret) =>
    secrets.some((each) => each === secret || (each.source === secret && (each.target ?? secret) === target));
  return rules({
    'does not share the files': !ways.includes('uses-files') || isMounted(volumes, '/data/files'),
    'reaches no server outside': !ways.includes('calls-outside') || networks.includes('outside'),
    'logs in to NATS as another module': has(`nats-url-${name}`, 'nats-url'),
    'has no address of Redis':
      !settings.includes('RedisSettings') || (Boolean(environment.REDIS_URL_FILE) && has('redis-url')),
    'has no secret key':
      !settings.includes('SecretKeySettings') || (Boolean(environment.GROUPWARE_SECRET_KEY_FILE) && has('secret-key')),
  });
}

/** `DATABASE_POOL_SIZE` where nothing sets it. */
const POOL_SIZE = 8;

function problemsOfConnections(postgres, modules) {
  const given = Number(/max_connections=(\d+)/.exec(words(postgres?.command))?.[1]);
  const needed = modules.reduce((sum, { hasSchema }) => sum + connectionsOfPod(hasSchema, POOL_SIZE), OF_OTHERS);
  return needed > given ? [`postgres: has ${given} connections, the modules may need ${needed}`] : [];
}

function problemsOfService({ environment = {}, restart, ports = [] }) {
  const problems = restart === 'unless-stopped' ? [] : ['is not restarted'];
  for (const [name, value] of Object.entries(environment)) {
    if (/(PASSWORD|SECRET|KEY)$/.test(name) && isWritten(value)) problems.push(`${name} is written in the file`);
    if (holdsLogin(value)) problems.push(`${name} has a login in the file`);
  }
  if (environment.GROUPWARE_DEMO !== undefined && String(environment.GROUPWARE_DEMO) !== 'false')
    problems.push('makes a demo context');
  for (const port of ports)
    if (!port.startsWith('127.0.0.1:')) problems.push(`the port ${port} is open to other machines`);
  return problems;
}

const rules = (pairs) => Object.entries(pairs).flatMap(([problem, holds]) => (holds ? [] : [problem]));
const words = (value) => [value ?? []].flat().join(' ');
const isMounted = (volumes, target) => (volumes ?? []).some((volume) => String(volume).split(':')[1] === target);

/** Rules for single services, by name. */
const serverRules = {
  postgres: ({ environment = {}, healthcheck, ports }) =>
    rules({
      'has no password file of the superuser': environment.POSTGRES_PASSWORD_FILE?.startsWith('/run/secrets/'),
      'takes connections without scram': environment.POSTGRES_HOST_AUTH_METHOD === 'scram-sha-256',
      'makes no role apart from the superuser': environment.POSTGRES_USER === undefined,
      'has no health check': Boolean(healthcheck),
      'is published': ports === undefined,
    }),
  redis: ({ command, healthcheck, ports }) =>
    rules({
      'asks for no password': /--aclfile \/run\/secrets\//.test(words(command)),
      'has no append-only file': /--appendonly yes/.test(words(command)),
      'has no health check': Boolean(healthcheck),
      'is published': ports === undefined,
    }),
  nats: ({ volumes, healthcheck, ports }) =>
    rules({
      'has no users': isMounted(volumes, '/etc/nats/users.conf'),
      'has no health check': Boolean(healthcheck),
      'is published': ports === undefined,
    }),
  gateway: ({ environment = {} }) => rules({ 'does not know its proxy': Boolean(environment.GATEWAY_TRUSTED_PROXIES) }),
};
