// A new appointment at its least: one transaction with a conflict look-up, the stamp and id of the context, the same rows
// as the product's in tables with the same indexes, and one row in an outbox. No permissions, no rules, no directory.
import { randomUUID } from 'node:crypto';

const TABLES = ['appointment', 'attendee', 'appointment_counter', 'outbox'];
const SCHEMA = 'bench_minimum_new';
/** The only context of the minimum. */
export const CONTEXT = 1;

/** Makes the tables: those of the product, indexes, constraints and rows included, so that both plan for the same amounts. */
export async function prepareCreate(client) {
  await client.query(`drop schema if exists ${SCHEMA} cascade; create schema ${SCHEMA}`);
  for (const table of TABLES) {
    await client.query(`create table ${SCHEMA}.${table} (like calendar.${table} including all)`);
    if (table !== 'outbox') await copyRows(client, table);
  }
}

async function copyRows(client, table) {
  const { rows } = await client.query(
    `select string_agg(quote_ident(column_name), ',') as list from information_schema.columns
     where table_schema = 'calendar' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const { list } = rows[0];
  const values = list.replace(/\bcontext_id\b/, String(CONTEXT));
  await client.query(`insert into ${SCHEMA}.${table} (${list}) select ${values} from calendar.${table}`);
}

const STAMP = `insert into ${SCHEMA}.appointment_counter (context_id, next_id, last_stamp) values ($1, 2, $2)
  on conflict (context_id) do update set next_id = appointment_counter.next_id + 1,
    last_stamp = greatest(appointment_counter.last_stamp + 1, $2)
  returning last_stamp, next_id - 1`;
const BUSY = `select a.id, a.start_ms, a.end_ms from ${SCHEMA}.appointment a
  where a.context_id = $1 and a.shown_as <> 4 and a.id in (
    select t.appointment_id from ${SCHEMA}.attendee t
    where t.context_id = $1 and t.type in (1, 3) and t.entity = $2 and not t.hidden and t.confirm <> 2
      and t.range_end_ms > $3 and t.start_ms < $4)`;
const APPOINTMENT = `insert into ${SCHEMA}.appointment (context_id, id, folder_id, is_public, owner, uid, start_ms, end_ms,
    range_end_ms, time_zone, full_time, floating, title, location, note, shown_as, classification, organizer, organizer_id,
    sequence, created_by, modified_by, created, last_modified, participants, users, confirmations)
  values ($1, $2, $3, false, $4, $5, $6, $7, $7, $8, false, false, $9, $10, $11, $12, 0, $13, $4, 0, $4, $4, $14, $14,
    $15, $16, '[]')`;
const ATTENDEE = `insert into ${SCHEMA}.attendee (context_id, appointment_id, position, type, entity, mail, display_name,
    direct, listed, confirm, is_series, start_ms, range_end_ms)
  values ($1, $2, 0, 1, $3, $4, $5, true, true, 1, false, $6, $7)`;
const OUTBOX = `insert into ${SCHEMA}.outbox (id, context_id, name, payload, occurred_at) values ($1, $2, $3, $4, $5)`;

/** Stores one appointment unless the user is busy; answers the id, or undefined. */
export async function create(pool, { context, user, folder, body }) {
  const mail = 'ann@bench.example';
  const client = await pool.connect();
  const run = async (name, text, values) => (await client.query({ name, text, values, rowMode: 'array' })).rows;
  try {
    await client.query('begin');
    const busy = await run('busy', BUSY, [context, user, body.start_date, body.end_date]);
    if (busy.length > 0) {
      await client.query('rollback');
      return undefined;
    }
    const [[stamp, id]] = await run('stamp', STAMP, [context, Date.now()]);
    const { title, location, note, shown_as: shownAs, timezone, start_date: start, end_date: end } = body;
    const people = [JSON.stringify([{ id: user, type: 1 }]), JSON.stringify([{ id: user, confirmation: 1 }])];
    const text = [title, location, note, shownAs, mail];
    await run('appointment', APPOINTMENT, [
      context,
      id,
      folder,
      user,
      randomUUID(),
      start,
      end,
      timezone,
      ...text,
      stamp,
      ...people,
    ]);
    await run('attendee', ATTENDEE, [context, id, user, mail, 'ann', start, end]);
    const event = JSON.stringify({ id, folder, stamp, by: user, users: [user], start, end });
    await run('outbox', OUTBOX, [randomUUID(), context, 'calendar.appointment.created', event, stamp]);
    await client.query('commit');
    return id;
  } finally {
    client.release();
  }
}
