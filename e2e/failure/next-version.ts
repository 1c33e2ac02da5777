import fs from 'node:fs';
import path from 'node:path';
import { CHECKOUT } from '../processes';

/** The version that {@link buildNextVersion} makes says so. */
const NEXT_VERSION = '0.1.0-next';

/**
 * Appended to the migrations of the kit, which run in the schema of every module: a column with a default in every table and a
 * table of its own, in one transaction, and then an index that is built concurrently. More than a version brings, and all that
 * `migration-compatibility.ts` allows.
 */
const MIGRATIONS = `
class WidenTables9999999999998 {
  async up(db) {
    const tables = await db.query(
      "select tablename from pg_tables where schemaname = current_schema() and tablename <> 'migration' order by 1");
    for (const { tablename } of tables)
      await db.query('alter table "' + tablename + '" add column next_version int not null default 1');
    await db.query('create table next_version (id int primary key)');
  }
  async down(db) {
    await db.query('drop table next_version');
    const tables = await db.query(
      "select table_name from information_schema.columns where table_schema = current_schema() and column_name = 'next_version' order by 1");
    for (const { table_name } of tables) await db.query('alter table "' + table_name + '" drop column next_version');
  }
}
class FindOutbox9999999999999 {
  isTransactional = false;
  async up(db) { await db.createIndexConcurrently('outbox_next_version', 'on outbox (next_version)'); }
  async down(db) { await db.dropIndexConcurrently('outbox_next_version'); }
}
exports.kitMigrations.push(WidenTables9999999999998, FindOutbox9999999999999);
`;

/**
 * Copies the built product into a folder, as the version after it: it says another version, and has migrations of its own in
 * every schema.
 */
export function buildNextVersion(folder: string): string {
  const scope = path.join(folder, 'node_modules', '@groupware');
  fs.mkdirSync(scope, { recursive: true });
  for (const name of fs.readdirSync(path.join(CHECKOUT, 'node_modules')))
    if (name !== '@groupware' && !name.startsWith('.'))
      fs.symlinkSync(path.join(CHECKOUT, 'node_modules', name), path.join(folder, 'node_modules', name));
  for (const group of ['apps', 'libs'])
    for (const name of fs.readdirSync(path.join(CHECKOUT, group))) {
      const [from, to] = [path.join(CHECKOUT, group, name), path.join(folder, group, name)];
      if (!fs.existsSync(path.join(from, 'dist'))) continue;
      fs.cpSync(from, to, {
        recursive: true,
        filter: (file) => !/\.(map|d\.ts)$/.test(file) && file !== path.join(from, 'src'),
      });
      const { name: packageName } = JSON.parse(fs.readFileSync(path.join(from, 'package.json'), 'utf8')) as {
        name: string;
      };
      fs.symlinkSync(to, path.join(folder, 'node_modules', packageName));
    }
  fs.appendFileSync(path.join(folder, 'libs/persistence/dist/kit-migrations.js'), MIGRATIONS);
  fs.appendFileSync(path.join(folder, 'libs/service-kit/dist/version.js'), `\nexports.VERSION = '${NEXT_VERSION}';\n`);
  return folder;
}
