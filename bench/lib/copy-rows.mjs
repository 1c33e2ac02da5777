import pg from 'pg';

/** A connection of its own to the tables of a module. */
export async function connectTo({ DATABASE_URL }, schema) {
  const database = new pg.Client({ connectionString: DATABASE_URL });
  // It is cut off at the end of a benchmark that failed.
  database.on('error', () => undefined);
  await database.connect();
  await database.query(`set search_path to ${schema}`);
  return database;
}

/**
 * Copies rows that calls made, by SQL: none of the product's checks are run a hundred thousand times.
 * @param {pg.Client} database
 * @param {string} table
 * @param {string} where of the rows `t`, with values from `$2` on
 * @param {string} changes of the `n`-th copy, as arguments of `jsonb_build_object`
 * @param {number} count of each row
 * @param {readonly unknown[]} [values]
 */
export const copyRows = (database, table, where, changes, count, values = []) =>
  database.query(
    `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${changes}))).*
     from ${table} t cross join generate_series(1, $1::int) n where ${where}`,
    [count, ...values],
  );

/** Asks one prepared query for its one text. */
export const preparedQuery = (database, name, text, values) => async () => {
  const { rows } = await database.query({ name, text, values, rowMode: 'array' });
  return rows[0][0];
};
