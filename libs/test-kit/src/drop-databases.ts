import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { postgresUrl } from './test-servers';

const INSUFFICIENT_PRIVILEGE = '42501';
const RETRY_MS = 250;
const MAX_RETRIES = 40;

/**
 * Drops databases together with whatever is connected to them. A cleaner of the server (autovacuum) belongs to its superuser,
 * so the role of the tests cannot end it: it is waited for.
 */
export async function dropDatabases(...names: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    for (const name of names) await dropDatabase(client, name);
  } finally {
    await client.end();
  }
}

async function dropDatabase(client: Client, name: string): Promise<void> {
  for (let retry = 0; ; retry++)
    try {
      await client.query(`drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      const isCleaned = error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE;
      if (!isCleaned || retry === MAX_RETRIES) throw error;
      await delay(RETRY_MS);
    }
}
