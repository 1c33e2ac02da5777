import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Redis from 'ioredis';
import { start } from './processes.mjs';
import { keep } from './system.mjs';

const MINIMUM = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'minimum');

/**
 * Starts the composed minimum: its gateway, and a service of its folder.
 * @param {Record<string, string>} environment of both, with what the service needs
 * @param {{ service: string, headers: object, known: object, nodeOptions?: string[] }} options headers: those of the client of the
 *   product; known: what the session holds
 * @returns {Promise<(method: string, name: string, body?: object) => Promise<Buffer>>} asks it
 */
export async function startMinimum(environment, { service, headers, known, nodeOptions = [] }) {
  keep(await start('minimum service', path.join(MINIMUM, service), environment, nodeOptions));
  const gateway = keep(await start('minimum gateway', path.join(MINIMUM, 'gateway.mjs'), environment, nodeOptions));
  const session = randomBytes(16).toString('hex');
  const redis = new Redis(environment.REDIS_URL);
  await redis.set(`bench-minimum:${session}`, JSON.stringify(known), 'EX', 3600);
  await redis.quit();
  const [, url] = gateway.line.split(' ');
  return async (method, name, body) => {
    const response = await fetch(`${url}/${name}?session=${session}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return Buffer.from(await response.arrayBuffer());
  };
}
