import { randomBytes } from 'node:crypto';

/** URL of a server that the test runner started, by the name of its variable. */
function serverUrl(name: string): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: integration tests need the servers that \`npm test\` starts`);
  return url;
}

/** URL of the Postgres server of this run. */
export const postgresUrl = (): string => serverUrl('DATABASE_URL');

/** URL of the NATS server of this run. */
export const natsUrl = (): string => serverUrl('NATS_URL');

/** URL of a Redis database of this Jest worker; the test files of one worker follow each other. */
export function redisUrl(): string {
  const url = new URL(serverUrl('REDIS_URL'));
  url.pathname = `/${Number(process.env['JEST_WORKER_ID'] ?? 1) % 16}`;
  return url.href;
}

/** A name that no other test uses: prefix of subjects, streams, keys. Letters and digits only. */
export const uniquePrefix = (what = 'test'): string => `${what}${randomBytes(6).toString('hex')}`;
