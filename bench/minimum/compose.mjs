// The composed minimum of mails that are written and of rules, service: NATS request -> one prepared update whose row
// Postgres turns into JSON, or one connection to the server of the rules -> bytes back.
import pg from 'pg';
import { readActiveScript } from '../lib/raw-protocols.mjs';
import { connectBus } from './connect-bus.mjs';

const { DATABASE_URL, SIEVE_PORT, SIEVE_LOGIN, CA } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 8 });
const bus = await connectBus();

/** Answers questions by texts. */
const serve = (name, answer) =>
  bus.subscribe(`bench-minimum.${name}`, {
    queue: 'bench-minimum',
    callback: async (_error, message) => {
      try {
        message.respond(await answer(message));
      } catch (error) {
        console.error(error);
        message.respond('{"error":"failed"}');
      }
    },
  });

const WRITE = `update mail.compose_space set modified = $4, content = $5 where context_id = $1 and user_id = $2 and id = $3::uuid
  returning json_build_object('id', id, 'subject', subject, 'content', content, 'contentType', content_type)::text`;
serve('write', async (message) => {
  const { contextId, userId, id, body } = message.json();
  const values = [contextId, userId, id, Date.now(), body.content];
  const { rows } = await pool.query({ name: 'write', text: WRITE, values, rowMode: 'array' });
  return `{"data":${rows[0][0]}}`;
});
serve('rules', async () => {
  const script = await readActiveScript({ port: Number(SIEVE_PORT), ca: CA, login: SIEVE_LOGIN });
  return JSON.stringify({ data: script });
});
await pool.query('select 1');
await bus.flush();
console.log('ready');
process.once('SIGTERM', () => process.exit(0));
