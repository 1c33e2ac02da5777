// The composed minimum, service: NATS request -> one prepared query whose rows Postgres turns into JSON -> bytes back.
import { connect } from 'nats';
import pg from 'pg';
import { ROWS } from './table.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const bus = await connect({ servers: process.env.NATS_URL });
bus.subscribe('bench-minimum.all', {
  queue: 'bench-minimum',
  callback: async (_error, message) => {
    try {
      const { folder, start, end } = message.json();
      const { rows } = await pool.query({ name: 'all', text: ROWS, values: [folder, start, end], rowMode: 'array' });
      message.respond(`{"data":${rows[0][0]},"timestamp":1767225600000}`);
    } catch (error) {
      console.error(error);
      message.respond('{"error":"failed"}');
    }
  },
});
await pool.query('select 1');
await bus.flush();
console.log('ready');
process.once('SIGTERM', () => process.exit(0));
