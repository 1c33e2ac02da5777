import { loadModules, modules } from '@groupware/host';
import { describeSchema, migrate, rollback, type MigrationClass } from '@groupware/persistence';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({});
}, 60_000);
afterAll(() => database?.close());

const timeOf = ({ name }: MigrationClass): number => Number(/\d+$/.exec(name)![0]);

describe('each migration leaves what was there before when it is taken back, and comes again', () => {
  it.each(Object.keys(modules))(
    '%s',
    async (name) => {
      const [service] = await loadModules([name]);
      const schema = `back_and_forth_${name.replace('-', '_')}`;
      const inOrder = [...(service!.migrations ?? [])].sort((one, other) => timeOf(one) - timeOf(other));
      await migrate({ url: database.url, schema, migrations: [] });
      let before = await describeSchema(database.url, schema);
      for (const count of inOrder.keys()) {
        const target = { url: database.url, schema, migrations: inOrder.slice(0, count + 1) };
        expect(await migrate(target)).toEqual([inOrder[count]!.name]);
        const after = await describeSchema(database.url, schema);
        await rollback(target);
        expect(await describeSchema(database.url, schema)).toBe(before);
        await migrate(target);
        expect(await describeSchema(database.url, schema)).toBe(after);
        before = after;
      }
    },
    120_000,
  );
});
