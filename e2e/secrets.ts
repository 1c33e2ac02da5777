import { Bus } from '@groupware/messaging';
import { setLogDestination } from '@groupware/service-kit';
import { Redis } from 'ioredis';

/** Shorter texts occur by chance. */
const SHORTEST = 10;
/** Secrets are found by so many of their first characters. */
const BEGINNING = 8;
/** Text is searched and forgotten when there are so many characters of it. */
const SEARCHED_AT = 8_000_000;
/** So many characters of the offending line are shown. */
const SHOWN = 1000;

/** Fields of requests and answers whose values are secrets, at any depth. */
const SECRET_FIELD = /passw|secret|token|^(session|random|authorization)$/i;
/** Fields that are named like secrets and hold none. */
const NO_SECRET = /^(com|x-svc|io)\.|Id$|expires|Type$|_length$/i;
/** Hashes of passwords are known by their form. */
const HASH =
  /\$argon2i?d?\$v=|\$2[aby]\$\d\d\$[./A-Za-z0-9]{20}|\{(?:S?SHA(?:256|512)?|BCRYPT|CRYPT)\}[A-Za-z0-9+/$.]{20}/;

const known = new Map<string, Set<string>>();
let texts: string[] = [];
let size = 0;
const found = new Set<string>();

/** Notes a secret that no log and no event may hold from now on: passwords, ids of sessions, values of cookies, tokens. */
export function keepOutOfLogs(...secrets: readonly (string | undefined)[]): void {
  for (const secret of secrets) {
    if (secret === undefined || secret.length < SHORTEST) continue;
    for (const form of [secret, encodeURIComponent(secret), new URLSearchParams({ s: secret }).toString().slice(2)]) {
      const beginning = form.slice(0, BEGINNING);
      const others = known.get(beginning);
      if (others) others.add(form);
      else known.set(beginning, new Set([form]));
    }
  }
}

/** Notes the secrets of a request or an answer, by the names of their fields. */
export function keepFieldsOutOfLogs(value: unknown, name = ''): void {
  if (typeof value === 'string') {
    if (SECRET_FIELD.test(name) && !NO_SECRET.test(name)) keepOutOfLogs(value);
  } else if (Array.isArray(value)) for (const each of value) keepFieldsOutOfLogs(each, name);
  else if (typeof value === 'object' && value !== null)
    for (const [field, each] of Object.entries(value)) keepFieldsOutOfLogs(each, field);
}

/** Adds to what is searched at the end of a world: lines of logs, events. */
export function searchLater(text: string): void {
  texts.push(text);
  size += text.length;
  if (size > SEARCHED_AT) search();
}

/** Fails at the end of a world when an answer holds the hash of a password. */
export function expectNoHash(answer: string): void {
  if (HASH.test(answer)) found.add(`a hash in an answer: ${answer.slice(0, SHOWN)}`);
}

/** Collects what the services of this process log; a spec that sends the log elsewhere hands it on itself. */
export function watchLogs(): void {
  setLogDestination({ write: searchLater });
}

/** Collects the events of a world. */
export async function watchEvents(environment: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
  const bus = await Bus.connect({ url: environment.NATS_URL!, prefix: environment.GROUPWARE_BUS_PREFIX! });
  bus.connection.subscribe(bus.subject('event.>'), {
    callback: (_error, message) => searchLater(`${message.string()}\n`),
  });
  return () => bus.close();
}

/** Adds the session store of a run to what is searched: names and contents of all its keys. */
export async function searchStore(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 }) as AsyncIterable<string[]>)
      for (const key of keys) searchLater(`${key} ${JSON.stringify(await contentOf(redis, key))}\n`);
  } finally {
    redis.disconnect();
  }
}

async function contentOf(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, 0, -1);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return null; // gone meanwhile
  }
}

function search(): void {
  const text = texts.join('');
  texts = [];
  size = 0;
  const hash = HASH.exec(text);
  if (hash) found.add(lineAt(text, hash.index));
  if (known.size === 0) return;
  for (let at = 0; at + SHORTEST <= text.length; at++) {
    const secret = [...(known.get(text.slice(at, at + BEGINNING)) ?? [])].find((each) => text.startsWith(each, at));
    if (secret !== undefined) found.add(lineAt(text, at).replaceAll(secret, '(SECRET)'));
  }
}

function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, Math.min(end < 0 ? text.length : end, start + SHOWN));
}

/** Fails when a log, an event or the store of the run holds a secret that was used in it, or a hash. */
export function expectNoSecretInLogs(): void {
  search();
  const offending = [...found];
  found.clear();
  if (offending.length > 0) throw new Error(`secrets in logs, events or the store:\n${offending.join('\n')}`);
}
