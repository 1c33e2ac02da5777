import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { NODE_OPTIONS } from '../../tools/launch/node-options.mjs';
import { notedNames, readNote } from '../../tools/services/notes.mjs';
import { startAll } from '../../tools/services/services.mjs';
import { Client } from './client.mjs';
import { start } from './processes.mjs';

// The product in processes of its own, on servers and a database of its own, with some users.
const HOST = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'apps', 'host', 'dist', 'main.js');
export const PASSWORD = 'bench password 1';

const cleanups = [];
/** Has something done at the end, before what was asked for earlier. */
export const onCleanup = (work) => cleanups.unshift(work);

/** Has a process stopped at the end; answers it. */
export const keep = (running) => {
  onCleanup(() => running.stop());
  return running;
};

/**
 * Runs a benchmark, prints why it fails, and stops and removes everything at its end.
 * @param {() => Promise<void>} main
 * @param {{ minutes?: number }} [options] minutes: longest time; it fails when it is not done by then
 */
export async function runBench(main, { minutes } = {}) {
  let timer;
  const overdue = new Promise((_resolve, reject) => {
    if (minutes) timer = setTimeout(() => reject(new Error(`not done after ${minutes} minutes`)), minutes * 60_000);
  });
  try {
    await Promise.race([main(), overdue]);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    clearTimeout(timer);
    await cleanUp();
  }
}

/** Stops and removes everything, the newest first. */
async function cleanUp() {
  for (const work of cleanups.splice(0))
    await Promise.resolve()
      .then(work)
      .catch((error) => console.error(String(error)));
}

/** @throws when there is nothing to measure */
export function requireBuild() {
  if (!fs.existsSync(HOST)) throw new Error('the product is not built: run npm run build first');
}

/** URLs of the servers with a new database, and a folder for files. */
export async function servers() {
  const given = process.env.DATABASE_URL && process.env.REDIS_URL && process.env.NATS_URL;
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-bench-'));
  onCleanup(() => fs.rmSync(dataDir, { recursive: true, force: true }));
  const { env, stop } = given
    ? { env: process.env, stop: async () => undefined }
    : await startAll(path.join(dataDir, 'servers'));
  onCleanup(stop);
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const owner = new pg.Client({ connectionString: env.DATABASE_URL });
  await owner.connect();
  await owner.query(`create database ${name}`);
  onCleanup(async () => {
    await owner.query(`drop database if exists ${name} with (force)`);
    await owner.end();
  });
  const database = new URL(env.DATABASE_URL);
  database.pathname = `/${name}`;
  return { name, dataDir, DATABASE_URL: database.href, REDIS_URL: env.REDIS_URL, NATS_URL: env.NATS_URL };
}

/**
 * The product as it is deployed: gateway, calendar and the rest in processes of their own.
 * @param {{ nodeOptions?: string[], settings?: Record<string, string>, properties?: Record<string, string>, more?: string[] }} options `more`: further modules,
 * a process each, found by their names in the answer, whose `replica` starts one more; `properties`: server values of the
 * configuration cascade
 */
export async function startSystem(
  { name, dataDir, ...urls },
  { nodeOptions = [], settings = {}, properties = {}, more = [] } = {},
) {
  const file = path.join(dataDir, 'bench.properties');
  // One call reads all appointments to fill the minimum's table.
  const lines = Object.entries({ 'com.example.calendar.maxEventResults': '1000000', ...properties });
  fs.writeFileSync(file, lines.map(([key, value]) => `${key}=${value}\n`).join(''));
  const env = {
    GROUPWARE_PROPERTIES_FILE: file,
    ...urls,
    DATA_DIR: dataDir,
    FILESTORE_URL: `file://${dataDir}/files`,
    GROUPWARE_BUS_PREFIX: name,
    GROUPWARE_PRINCIPAL_KEY: randomBytes(32).toString('base64'),
    GROUPWARE_SECRET_KEY: randomBytes(32).toString('base64'),
    GROUPWARE_MASTER_LOGIN: 'master',
    GROUPWARE_MASTER_PASSWORD: PASSWORD,
    GROUPWARE_DEMO: 'false',
    PORT: '0',
    INTERNAL_PORT: '0',
    ...settings,
  };
  const host = async (modules) =>
    keep(await start(modules, HOST, { ...env, GROUPWARE_MODULES: modules }, [...NODE_OPTIONS, ...nodeOptions]));
  const others = await host('identity,folders');
  const calendar = await host('calendar');
  const further = {};
  for (const modules of more) further[modules] = await host(modules);
  const gateway = await host('gateway');
  const [, publicUrl, internalUrl] = gateway.line.split(' ');
  return { ...further, gateway, calendar, others, publicUrl, internalUrl, replica: host };
}

/** The servers that were started here, with their processes; none when the environment named them. */
export function serverProcesses({ dataDir }) {
  const folder = path.join(dataDir, 'servers');
  if (!fs.existsSync(folder)) return [];
  return notedNames(folder).map((name) => ({ name, pid: readNote(folder, name).process.pid }));
}

/** One call of the administrative API; its answer, undefined without one. @throws unless it went well */
export async function administer(internalUrl, method, target, body) {
  const response = await fetch(internalUrl + target, {
    method,
    headers: { authorization: `Basic ${Buffer.from(`master:${PASSWORD}`).toString('base64')}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Log-ins of users of a new context; `fields` are further ones of the context. */
export async function createUsers(internalUrl, fields = {}, names = ['ann', 'bob']) {
  const contextId = 1000 + Math.floor(Math.random() * 1_000_000);
  const post = (target, body) => administer(internalUrl, 'POST', target, body);
  const person = (name) => ({
    name,
    password: PASSWORD,
    displayName: name,
    givenName: name,
    surname: 'Bench',
    timezone: 'Europe/Berlin',
  });
  await post('/admin/v1/contexts', {
    id: contextId,
    ...fields,
    name: `bench-${contextId}`,
    admin: { ...person('admin'), email: `admin@c${contextId}.example` },
  });
  for (const name of names)
    await post(`/admin/v1/contexts/${contextId}/users`, {
      ...person(name),
      primaryEmail: `${name}@c${contextId}.example`,
      locale: 'en_US',
    });
  return names.map((name) => `${name}@${contextId}`);
}

/** A client of a user, with the id of his calendar. */
export async function enter(publicUrl, login) {
  const client = new Client(publicUrl);
  await client.login(login, PASSWORD);
  const folders = await client.call('GET', 'folders', {
    action: 'allVisible',
    content_type: 'calendar',
    columns: '1,308',
  });
  return { client, folder: folders.data.private.find((row) => row[1] === true)[0] };
}
