import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { loadModule } from 'libpg-query';
import { disableStorages, quickenValidation } from '../jest/worker-load';
import { keepCompiledModules } from '../jest/compiled-modules';
import { proveTenancy, type Tables } from './prove-tenancy';

keepCompiledModules();

/** Verdict on a statement text under tables. */
const problems = new Map<string, readonly string[]>();
const recorded = new Set<string>();
const tablesKeys = new WeakMap<Tables, string>();

/** See `StatementInspector` in libs/persistence. One for all files of a worker: the parser takes a while to load. */
const inspector = {
  load: () => loadModule(),
  inspect(sql: string, reach: 'of one context' | 'across contexts', tables: Tables): void {
    record(sql);
    if (reach === 'across contexts') return;
    const key = `${keyOf(tables)} ${sql}`;
    if (!problems.has(key)) problems.set(key, proveTenancy(sql, tables));
    const found = problems.get(key)!;
    if (found.length > 0) throw new Error(`a statement may touch rows of other contexts: ${found.join('; ')}\n${sql}`);
  },
};

/** Notes each text once, for the check that tests have seen all statements. */
function record(sql: string): void {
  const folder = process.env.STATEMENT_RECORDS_DIR;
  if (!folder || recorded.has(sql)) return;
  recorded.add(sql);
  fs.mkdirSync(folder, { recursive: true });
  fs.appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify(sql)}\n`);
}

function keyOf(tables: Tables): string {
  let key = tablesKeys.get(tables);
  if (!key) {
    key = createHash('sha1')
      .update(JSON.stringify([...tables]))
      .digest('base64');
    tablesKeys.set(tables, key);
  }
  return key;
}

/** Node, with the inspector of statements that libs/persistence looks for. */
class StatementEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    Object.assign(this.global, { groupwareStatements: inspector });
    quickenValidation(this.global);
  }

  override async teardown(): Promise<void> {
    disableStorages();
    await super.teardown();
  }
}

// The name that Jest looks for.
export { StatementEnvironment as default };
