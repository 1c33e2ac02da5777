// The composed minimum, service: NATS request -> one prepared query whose rows Postgres turns into JSON -> bytes back.
// The month view expands series in between; a new appointment is a transaction.
import { connectBus } from './connect-bus.mjs';
import pg from 'pg';
import { create } from './create.mjs';
import { expandMonth, MONTH } from './month.mjs';
import { ROWS } from './table.mjs';

pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1016, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const bus = await connectBus();
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
bus.subscribe('bench-minimum.month', {
  queue: 'bench-minimum',
  callback: async (_error, message) => {
    try {
      const { folder, start, end } = message.json();
      const { rows } = await pool.query({ name: 'month', text: MONTH, values: [folder, start, end], rowMode: 'array' });
      message.respond(JSON.stringify({ data: expandMonth(rows, start, end), timestamp: 1767225600000 }));
    } catch (error) {
      console.error(error);
      message.respond('{"error":"failed"}');
    }
  },
});
bus.subscribe('bench-minimum.new', {
  queue: 'bench-minimum',
  callback: async (_error, message) => {
    try {
      const id = await create(pool, message.json());
      message.respond(JSON.stringify({ data: { id: String(id) }, timestamp: 1767225600000 }));
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
