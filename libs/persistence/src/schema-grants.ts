import type { Client } from 'pg';
import { HostFinder } from './connections/host-finder';
import { quoteIdentifier } from './database-settings';

/** Postgres 17 has a privilege for taking statistics; before, only owners may. */
const FIRST_WITH_MAINTAIN = 170_000;

/**
 * Lets the role of the services read and write the rows of a schema that another role made. It may change no table, and not
 * the note of which migrations ran.
 */
export async function grantToServices(
  client: Client,
  { schema, serviceUrl }: { readonly schema: string; readonly serviceUrl?: string },
): Promise<void> {
  const login = serviceUrl && decodeURIComponent(new URL(new HostFinder(serviceUrl).firstUrl).username);
  if (!login) return;
  const { rows } = await client.query<{ user: string; version: number }>(
    `select current_user as user, current_setting('server_version_num')::int as version`,
  );
  const { user, version } = rows[0]!;
  if (user === login) return;
  const [to, within] = [quoteIdentifier(login), quoteIdentifier(schema)];
  const onTables = ['select', 'insert', 'update', 'delete', ...(version >= FIRST_WITH_MAINTAIN ? ['maintain'] : [])];
  await client.query(`
    begin;
    grant usage on schema ${within} to ${to};
    grant ${onTables.join(', ')} on all tables in schema ${within} to ${to};
    grant usage, select on all sequences in schema ${within} to ${to};
    revoke insert, update, delete on ${within}.migration from ${to};
    commit`);
}
