import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { serverCredentials } from '../services/credentials.mjs';
import { postgres } from '../services/postgres.mjs';
import { discard } from '../services/services.mjs';

/**
 * The tables of every module with a database, as its migrations make them in a new one on a server that is found or
 * started as for the tests.
 * @param {{ name: string, migrations?: unknown[] }[]} services
 * @param {{ migrate: Function, describeSchema: Function, schemaOf: Function }} persistence
 * @param {typeof import('pg').Client} Client
 * @param {string} programsDir where unpacked programs are kept
 * @returns {Promise<Record<string, string>>} Markdown by service
 */
export async function schemaPages(services, { migrate, describeSchema, schemaOf }, Client, programsDir) {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-docs-'));
  fs.chmodSync(dataDir, 0o711); // PostgreSQL may run as another account
  const server = await postgres({ dataDir, programsDir, durable: false, credentials: serverCredentials(dataDir) });
  const name = `docs_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: server.url });
  try {
    await client.connect();
    await client.query(`create database ${name}`);
    const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    const pages = {};
    for (const service of services.filter(({ migrations }) => migrations?.length)) {
      const schema = schemaOf(service.name);
      await migrate({ url, schema, migrations: service.migrations });
      pages[service.name] = await describeSchema(url, schema);
    }
    return pages;
  } finally {
    await client.query(`drop database if exists ${name} with (force)`).catch(() => undefined);
    await client.end();
    await server.stop();
    await discard(dataDir);
  }
}
