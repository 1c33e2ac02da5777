/** The columns the benchmark asks for: API number, and name in the minimum's table. */
export const COLUMNS = [
  [1, 'id'],
  [20, 'folder_id'],
  [200, 'title'],
  [201, 'start_date'],
  [202, 'end_date'],
  [400, 'location'],
  [401, 'full_time'],
  [402, 'shown_as'],
  [101, 'private_flag'],
  [102, 'color_label'],
  [100, 'categories'],
  [209, 'recurrence_type'],
  [216, 'until'],
  [220, 'participants'],
  [104, 'attachments'],
  [2, 'created_by'],
  [3, 'modified_by'],
  [4, 'creation_date'],
  [5, 'last_modified'],
  [408, 'timezone'],
];

const names = COLUMNS.map(([, name]) => name);

/** Rows of a folder that touch a range, as JSON built by Postgres. $1 folder, $2 start, $3 end, ms. */
export const ROWS = `select coalesce(json_agg(json_build_array(${names.map((name) => `q.${name}`).join(', ')})), '[]')::text
  from (select ${names.join(', ')} from bench_minimum.appointment a
    where a.folder_id = $1 and a.start_date < $3 and a.end_date > $2 order by a.start_date) q`;

/** Makes the table and fills it with the rows that the system answered. */
export async function fill(client, rows) {
  await client.query('drop schema if exists bench_minimum cascade');
  await client.query('create schema bench_minimum');
  await client.query(`create table bench_minimum.appointment (
    id text primary key, folder_id text, title text, start_date bigint, end_date bigint, location text, full_time boolean,
    shown_as int, private_flag boolean, color_label int, categories text, recurrence_type int, until bigint,
    participants jsonb, attachments int, created_by text, modified_by text, creation_date bigint, last_modified bigint,
    timezone text)`);
  const types =
    'text text text bigint bigint text boolean int boolean int text int bigint jsonb int text text bigint bigint text';
  const record = names.map((_name, index) => `(r->>${index})::${types.split(' ')[index]}`).join(', ');
  await client.query(`insert into bench_minimum.appointment select ${record} from json_array_elements($1::json) r`, [
    JSON.stringify(rows),
  ]);
  await client.query('create index on bench_minimum.appointment (folder_id, start_date)');
  await client.query('analyze bench_minimum.appointment');
}
