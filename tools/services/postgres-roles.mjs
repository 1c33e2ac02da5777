import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LOGIN, SUPERUSER } from './credentials.mjs';
import { leaveNote, removeNote } from './notes.mjs';
import { own } from './processes.mjs';
import { isRoot } from './programs.mjs';
import { untilReady } from './readiness.mjs';

/** The name of the note about a server that only prepares a cluster. */
export const PREPARATION_NOTE = 'postgres-preparation';

/**
 * Gives a cluster its roles, their passwords and the rule that no client connects without one. Nothing happens when that was
 * done with the same passwords. Also brings a cluster here whose services were superusers without a password: the
 * superuser gets another name, everything is handed over to the new role, no row is touched.
 *
 * Happens on a server of its own that only a socket in a private folder leads to.
 * @param {string} dataDir
 * @param {{ folder: string, spawnServer: (args: string[]) => import('node:child_process').ChildProcess,
 *   isReady: (pid: number) => boolean, account: { uid?: number, gid?: number } }} cluster
 * @param {{ postgres: string, postgresSuperuser: string }} credentials
 */
export async function prepareRoles(dataDir, { folder, spawnServer, isReady, account }, credentials) {
  if (hasRoles(folder, credentials)) return;
  const rules = path.join(folder, 'pg_hba.conf');
  const give = (file) => isRoot && fs.chownSync(file, account.uid, account.gid);
  const sockets = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-pg-')); // short: the path of a socket may have 107 bytes
  try {
    give(sockets);
    const open = path.join(sockets, 'pg_hba.conf');
    fs.writeFileSync(open, 'local all all trust\n', { mode: 0o600 });
    give(open);
    const child = spawnServer(['-h', '', '-k', sockets, '-c', `hba_file=${open}`]);
    const end = child.pid ? own(child.pid, 'SIGINT', 'SIGQUIT') : async () => {};
    try {
      if (child.pid) leaveNote(dataDir, PREPARATION_NOTE, child.pid);
      await untilReady(() => isReady(child.pid), child);
      await setRoles(sockets, credentials);
    } finally {
      await end();
      removeNote(dataDir, PREPARATION_NOTE);
    }
    fs.writeFileSync(`${rules}.new`, hostRules(credentials), { mode: 0o600 });
    give(`${rules}.new`);
    fs.renameSync(`${rules}.new`, rules);
  } finally {
    fs.rmSync(sockets, { recursive: true, force: true });
  }
}

/** Whether the roles of a cluster have these passwords, and no client gets in without one. */
export const hasRoles = (folder, credentials) =>
  fs.readFileSync(path.join(folder, 'pg_hba.conf'), 'utf8') === hostRules(credentials);

/** Writes the rules of who may connect, with a mark of the passwords that the roles have: other passwords, other text. */
function hostRules({ postgres, postgresSuperuser }) {
  const mark = createHash('sha256').update(`${postgres} ${postgresSuperuser}`).digest('hex');
  return [
    `# Written at the start of the server; roles have the passwords ${mark}`,
    'host all all 127.0.0.1/32 scram-sha-256',
    'local all all scram-sha-256',
    '',
  ].join('\n');
}

async function setRoles(host, { postgres, postgresSuperuser }) {
  await renameSuperuser(host);
  await asSuperuser(host, 'postgres', async (query) => {
    await query('set log_min_error_statement = panic'); // no statement with a password gets into the log
    await query(`set password_encryption = 'scram-sha-256'`);
    // Passwords of random bytes need no iterations, which each connection pays for on both ends. Since Postgres 16.
    await query(`select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`);
    await query(`alter role ${SUPERUSER} password '${postgresSuperuser}'`);
    if ((await query('select from pg_roles where rolname = $1', [LOGIN])).length === 0)
      await query(`create role ${LOGIN} login`);
    await query(
      `alter role ${LOGIN} login nosuperuser createdb nocreaterole noreplication nobypassrls password '${postgres}'`,
    );
    const databases = await query(
      `select datname, pg_get_userbyid(datdba) = $1 as mine from pg_database where not datistemplate and datallowconn`,
      [LOGIN],
    );
    for (const { datname, mine } of databases) {
      if (mine) continue;
      await asSuperuser(host, datname, (inDatabase) => inDatabase(HAND_OVER));
      await query(`alter database "${datname.replaceAll('"', '""')}" owner to ${LOGIN}`);
    }
  });
}

/** Clusters of earlier versions have a superuser with the name that the services log in with now. */
async function renameSuperuser(host) {
  const temporary = 'groupware_rename';
  const names = await asSuperuser(host, 'postgres', (query) => query('select rolname from pg_roles'), [
    SUPERUSER,
    LOGIN,
  ]);
  const exists = (name) => names.some(({ rolname }) => rolname === name);
  // No session can rename the role that it logged in with.
  if (!exists(SUPERUSER)) {
    if (!exists(temporary))
      await asSuperuser(host, 'postgres', (query) => query(`create role ${temporary} login superuser`), [LOGIN]);
    await asSuperuser(host, 'postgres', (query) => query(`alter role ${LOGIN} rename to ${SUPERUSER}`), [temporary]);
  }
  if (exists(temporary) || !exists(SUPERUSER))
    await asSuperuser(host, 'postgres', (query) => query(`drop role if exists ${temporary}`));
}

/** Hands over all schemas, relations, routines and types that are not Postgres's own or an extension's. */
const HAND_OVER = `do $$
declare statement text;
begin
  for statement in
    with mine as (select oid from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')),
    extended as (select classid, objid from pg_depend where deptype = 'e')
    select format('alter schema %I owner to ${LOGIN}', nspname) from pg_namespace where oid in (select oid from mine)
    union all
    select format('alter %s %s owner to ${LOGIN}',
        case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
        oid::regclass)
      from pg_class c
      where relkind in ('r', 'p', 'v', 'm', 'S') and relnamespace in (select oid from mine union select 'public'::regnamespace)
        and ('pg_class'::regclass, oid) not in (select classid, objid from extended)
        and not (relkind = 'S' and exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and d.deptype in ('a', 'i')))
    union all
    select format('alter routine %s owner to ${LOGIN}', oid::regprocedure) from pg_proc
      where pronamespace in (select oid from mine union select 'public'::regnamespace)
        and ('pg_proc'::regclass, oid) not in (select classid, objid from extended)
    union all
    select format('alter type %s owner to ${LOGIN}', t.oid::regtype) from pg_type t left join pg_class c on c.oid = t.typrelid
      where typnamespace in (select oid from mine union select 'public'::regnamespace) and typelem = 0
        and (typtype in ('e', 'd', 'r') or c.relkind = 'c')
        and ('pg_type'::regclass, t.oid) not in (select classid, objid from extended)
  loop
    execute statement;
  end loop;
end $$`;

/** Runs statements as the first of the roles that exists. */
async function asSuperuser(host, database, work, roles = [SUPERUSER]) {
  const { default: pg } = await import('pg'); // not at the top: a fresh clone has no packages yet when this file is loaded
  for (const [index, user] of roles.entries()) {
    const client = new pg.Client({ host, port: 5432, user, database });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (error.code === '28000' && index < roles.length - 1) continue; // there is no such role
      throw error;
    }
    try {
      return await work(async (sql, params) => (await client.query(sql, params)).rows);
    } finally {
      await client.end();
    }
  }
}
