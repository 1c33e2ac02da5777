import type { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { service } from '../index';
import { GuestRepository } from '../persistence/guest.repository';
import { GuestCleaner } from './guest-cleaner';

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const [CONTEXT, OTHER] = [71, 72];
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ identity: service.migrations! });
  database = await databases.of('identity');
}, 60_000);
afterAll(() => databases?.close());

const add = (contextId: number, id: number, endedAt: number | null): Promise<unknown> =>
  database.transact({ contextId }, (tx) =>
    tx.run(
      `insert into guest (context_id, guest_id, email, display_name, created_by, created_at, changed_at, token, ended_at)
       values ($1, $2, $3, 'Guest', 3, 0, 0, 'sealed', $4)`,
      id,
      `g${id}@outside.example`,
      endedAt,
    ),
  );
const listGuests = (contextId: number): Promise<unknown[]> =>
  database.read({ contextId }, async (db) =>
    (await db.rows('select guest_id from guest where context_id = $1 order by guest_id')).flat(),
  );

it('SH-33 former guests of all contexts go when they were kept for the time of the property, and nobody else', async () => {
  const clock = Object.assign(new Clock(), { now: () => NOW });
  const cascade: any = { value: () => '3D' };
  const cleaner = new GuestCleaner(database, new GuestRepository(), cascade, clock);
  await add(CONTEXT, 1, NOW - 3 * DAY_MS - 1);
  await add(CONTEXT, 2, NOW - 3 * DAY_MS);
  await add(CONTEXT, 3, null);
  await add(OTHER, 1, NOW - 4 * DAY_MS);
  await cleaner.deleteFormer();
  expect([await listGuests(CONTEXT), await listGuests(OTHER)]).toEqual([[2, 3], []]);
});
