// The composed minimum of a client's start, one of its services (as many as the system has processes): one prepared query for each
// part, or none where the system needs none. A log-in, which the first of them answers, reads a hash and compares it.
import { verify } from '@node-rs/argon2';
import pg from 'pg';
import { connectBus } from './connect-bus.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const bus = await connectBus();
const PART = 'select body from bench_part where context_id = $1 and name = $2';
const HASH = 'select hash from bench_user where context_id = $1 and name = $2';
const texts = new Map(
  (await pool.query('select name, body from bench_part where fixed')).rows.map((row) => [row.name, row.body]),
);

const answer = (subject, work) =>
  bus.subscribe(`bench-minimum.${subject}`, {
    queue: 'bench-minimum',
    callback: async (_error, message) => {
      try {
        message.respond(await work(message.json()));
      } catch (error) {
        console.error(error);
        message.respond('{"error":"failed"}');
      }
    },
  });

answer(`part.${process.env.SERVICE}`, async ({ context, name }) => {
  const fixed = texts.get(name);
  if (fixed !== undefined) return fixed;
  const { rows } = await pool.query({ name: 'part', text: PART, values: [context, name], rowMode: 'array' });
  return rows[0][0];
});
if (process.env.SERVICE === '0')
  answer('login', async ({ context, name, password }) => {
    const { rows } = await pool.query({ name: 'hash', text: HASH, values: [context, name], rowMode: 'array' });
    return (await verify(rows[0][0], password)) ? 'yes' : 'no';
  });
await bus.flush();
console.log('ready');
process.once('SIGTERM', () => process.exit(0));
