// The composed minimum, service: NATS request -> one prepared query whose rows Postgres turns into JSON -> bytes back.
// Views with series expand them in between; a new appointment is a transaction.
import { connectBus } from './connect-bus.mjs';
import pg from 'pg';
import { create, invite } from './create.mjs';
import { expandMonth, MONTH } from './month.mjs';
import { ROWS } from './table.mjs';
import { expandWeeks, WEEKS } from './weeks.mjs';

pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1016, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const bus = await connectBus();
/** Answers a subject with what `work` makes of a question. */
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
const ask = async (name, text, values) => (await pool.query({ name, text, values, rowMode: 'array' })).rows;
const TIMESTAMP = 1767225600000;

answer('all', async ({ folder, start, end }) => {
  const [[rows]] = await ask('all', ROWS, [folder, start, end]);
  return `{"data":${rows},"timestamp":${TIMESTAMP}}`;
});
answer('month', async ({ folder, start, end }) => {
  const rows = await ask('month', MONTH, [folder, start, end]);
  return JSON.stringify({ data: expandMonth(rows, start, end), timestamp: TIMESTAMP });
});
answer('weeks', async ({ folder, start, end }) => {
  const rows = await ask('weeks', WEEKS, [folder, start, end]);
  return JSON.stringify({ data: expandWeeks(rows, folder, start, end) });
});
/** Statements with one text as result, by name; of the benchmark that started the process. */
const statements = JSON.parse(process.env.BENCH_STATEMENTS ?? '{}');
answer('query', async ({ name, values }) => {
  const [[rows]] = await ask(name, statements[name], values);
  return `{"data":${rows},"timestamp":${TIMESTAMP}}`;
});
for (const [subject, work] of Object.entries({ new: create, invite }))
  answer(subject, async (question) =>
    JSON.stringify({ data: { id: String(await work(pool, question)) }, timestamp: TIMESTAMP }),
  );
await pool.query('select 1');
await bus.flush();
console.log('ready');
process.once('SIGTERM', () => process.exit(0));
