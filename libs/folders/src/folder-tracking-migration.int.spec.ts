import { randomBytes } from 'node:crypto';
import { describeSchema, migrate, rollback } from '@groupware/persistence';
import { dropDatabases } from '@groupware/test-kit';
import { Client } from 'pg';
import { createFolderTracking } from './folder-tracking-migration';
import { createFolderTables } from './folders-migration';
import { announceShares } from './share-announcement-migration';

const name = `folder_steps_${randomBytes(6).toString('hex')}`;
const migrations = [createFolderTables(1763700000000), createFolderTracking(1763700000001)];
const url = new URL(process.env.DATABASE_URL ?? 'postgres://localhost');
url.pathname = `/${name}`;
let server: Client;
let database: Client;

beforeAll(async () => {
  server = new Client({ connectionString: process.env.DATABASE_URL });
  await server.connect();
  await server.query(`create database ${name}`);
  database = new Client({ connectionString: url.href });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await dropDatabases(name);
  await server?.end();
});

describe('the migrations of folder tables', () => {
  it('keep folders, subscriptions and deletions on the way forth and back', async () => {
    await migrate({ url: url.href, schema: 'notes', migrations: migrations.slice(0, 1) });
    const first = await describeSchema(url.href, 'notes');
    await database.query(`set search_path to notes`);
    await database.query(`
      insert into folder (context_id, id, parent, type, title, created_by, modified_by, created, last_modified)
        values (1, 33, 1, 1, 'a', 3, 3, 10, 20);
      insert into folder_unsubscribed (context_id, folder_id, user_id) values (1, 33, 4);
      insert into folder_tombstone (context_id, id, parent, type, created_by, last_modified) values (1, 49, 2, 2, 3, 30)`);
    const target = { url: url.href, schema: 'notes', migrations };
    await migrate(target);
    expect((await database.query('select changed from folder')).rows).toEqual([{ changed: '20' }]);
    expect((await database.query('select subscribed, stamp from folder_unsubscribed')).rows).toEqual([
      { subscribed: false, stamp: '0' },
    ]);
    expect((await database.query('select * from folder_loss')).rows).toMatchObject([
      { folder_id: 49, is_group: true, entity: 0, parent: 2, type: 2, created_by: 3, stamp: '30' },
    ]);
    await rollback(target);
    expect(await describeSchema(url.href, 'notes')).toBe(first);
    expect((await database.query('select id, last_modified from folder_tombstone')).rows).toEqual([
      { id: 49, last_modified: '30' },
    ]);
    expect((await database.query('select folder_id, user_id from folder_unsubscribed')).rows).toEqual([
      { folder_id: 33, user_id: 4 },
    ]);
  });

  it('tell once of folders that were shared before', async () => {
    const target = { url: url.href, schema: 'notes', migrations };
    await migrate(target);
    await database.query(`set search_path to notes`);
    await database.query(`
      insert into folder (context_id, id, parent, type, title, created_by, modified_by, created, last_modified, changed)
        select 2, id, 1, 1, id::text, 3, 3, 10, 20, 20 from unnest(array[65, 81, 97]) as id;
      insert into folder_permission (context_id, folder_id, entity, is_group, bits)
        values (2, 65, 3, false, 1), (2, 81, 3, false, 1), (2, 81, 4, false, 1), (2, 97, 0, true, 1)`);
    const withNews = { ...target, migrations: [...migrations, announceShares(1763700000002, 'notes.folder.changed')] };
    await migrate(withNews);
    await migrate(withNews);
    const { rows } = await database.query('select context_id, name, payload from outbox order by seq');
    expect(rows).toEqual(
      [81, 97].map((folderId) => ({ context_id: 2, name: 'notes.folder.changed', payload: { folderId } })),
    );
  });
});
