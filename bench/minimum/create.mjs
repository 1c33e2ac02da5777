// A new appointment at its least: one transaction with a conflict look-up, the stamp and id of the context, the same rows
// as the product's in tables with the same indexes, those in an outbox included. No permissions, no rules, no directory.
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
/** The same with what is to be told to attendees. */
const OUTBOX_WITH_NOTICE = `${OUTBOX}, ($6, $2, $7, $8, $5)`;

const BUSY_PEOPLE = BUSY.replace('t.entity = $2', 't.entity = any($2::int[])');
const ATTENDEES = `insert into ${SCHEMA}.attendee (context_id, appointment_id, position, type, entity, mail, display_name,
    folder_id, direct, listed, confirm, is_series, start_ms, range_end_ms)
  select $1, $2, p.position - 1, 1, p.entity, $4, $5, p.folder, p.folder is null, true, (p.folder is null)::int, false, $6, $7
  from unnest($3::int[], $8::int[]) with ordinality as p (entity, folder, position)`;

/** Stores one appointment unless the user is busy; answers the id, or undefined. */
export const create = (pool, question) =>
  store(pool, question, {
    busy: (run, { start_date: start, end_date: end }) =>
      run('busy', BUSY, [question.context, question.user, start, end]),
    people: [question.user],
    attend: (run, id, { start_date: start, end_date: end }) =>
      run('attendee', ATTENDEE, [question.context, id, question.user, MAIL, 'ann', start, end]),
  });

/** The same with other users, who have calendars of their own: `people` and `folders` begin with the user, whose folder is null. */
export const invite = (pool, question) =>
  store(pool, question, {
    busy: (run, { start_date: start, end_date: end }) =>
      run('busy people', BUSY_PEOPLE, [question.context, question.people, start, end]),
    people: question.people,
    isTold: true,
    attend: (run, id, { start_date: start, end_date: end }) =>
      run('attendees', ATTENDEES, [
        ...[question.context, id, question.people, MAIL],
        ...['ann', start, end, question.folders],
      ]),
  });

const MAIL = 'ann@bench.example';

async function store(pool, { context, user, folder, body }, { busy, people, attend, isTold = false }) {
  const client = await pool.connect();
  const run = async (name, text, values) => (await client.query({ name, text, values, rowMode: 'array' })).rows;
  try {
    await client.query('begin');
    if ((await busy(run, body)).length > 0) {
      await client.query('rollback');
      return undefined;
    }
    const [[stamp, id]] = await run('stamp', STAMP, [context, Date.now()]);
    const { title, location, note, shown_as: shownAs, timezone, start_date: start, end_date: end } = body;
    const shown = [
      people.map((each) => ({ id: each, type: 1 })),
      people.map((each) => ({ id: each, confirmation: Number(each === user) })),
    ];
    await run('appointment', APPOINTMENT, [
      ...[context, id, folder, user, randomUUID(), start, end, timezone],
      ...[title, location, note, shownAs, MAIL, stamp],
      ...shown.map((list) => JSON.stringify(list)),
    ]);
    await attend(run, id, body);
    const event = JSON.stringify({ id, folder, stamp, by: user, users: people, start, end });
    const created = [randomUUID(), context, 'calendar.appointment.created', event, stamp];
    if (isTold) {
      const values = { summary: title, location, description: note, startMs: start, endMs: end, timeZone: timezone };
      const users = people.filter((each) => each !== user);
      const notice = JSON.stringify({ userId: user, users, reason: 'change', template: 'eventInvitation', values });
      await run('outbox and notice', OUTBOX_WITH_NOTICE, [
        ...created,
        randomUUID(),
        'calendar.notice.requested',
        notice,
      ]);
    } else await run('outbox', OUTBOX, created);
    await client.query('commit');
    return id;
  } finally {
    client.release();
  }
}
