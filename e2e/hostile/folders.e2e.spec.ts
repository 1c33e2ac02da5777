import { Client as Database } from 'pg';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { createSingleProcessWorld, type SingleProcessWorld } from '../processes';
import { HoldMonitor, LONGEST_HOLD_MS } from './event-loop';

/** Calendars of one user: nothing keeps anybody from making them. */
const FOLDERS = 30_000;
const TIMEOUT_MS = 120_000;
/** Those that the original's client asks for. */
const COLUMNS =
  '1,2,3,4,5,6,20,23,51,52,300,301,302,304,305,306,307,308,309,310,311,312,313,314,315,316,317,318,319,321,3010,3020,3030,3031,3050,3201,3203,3204,3205,3220,3301';

let monitor: HoldMonitor;
let world: SingleProcessWorld;
let cast: Fixtures;
let player: TestUser;

/** Copies of the default calendar, with other names. */
async function insertFolders(): Promise<void> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  const params = [cast.contextId, Number(player.folder), FOLDERS];
  await database.query(
    `insert into calendar.folder (context_id, id, parent, type, title, created_by, modified_by, created, last_modified, is_default, changed)
     select context_id, 1000000 + 16 * i + id % 16, parent, type, 'Calendar ' || i, created_by, modified_by, created, last_modified, false, changed
     from calendar.folder, generate_series(1, $3::int) i where context_id = $1 and id = $2`,
    params,
  );
  await database.query(
    `insert into calendar.folder_permission (context_id, folder_id, entity, is_group, bits)
     select context_id, 1000000 + 16 * i + folder_id % 16, entity, is_group, bits
     from calendar.folder_permission, generate_series(1, $3::int) i where context_id = $1 and folder_id = $2`,
    params,
  );
  await database.end();
}

beforeAll(async () => {
  monitor = await HoldMonitor.prepare();
  world = await createSingleProcessWorld({ GROUPWARE_TEST: 'false', ...monitor.variables });
  cast = await createFixtures(world);
  player = cast.U1;
  await insertFolders();
}, 120_000);
afterAll(() => world?.close(), 60_000);

describe(`the event loop is not held by a user with ${FOLDERS} folders`, () => {
  it.each([
    ['allVisible', { content_type: 'calendar', columns: COLUMNS }, ({ private: rows }: any) => rows],
    ['list', { parent: '1', allowed_modules: 'calendar', columns: COLUMNS }, (rows: any) => rows],
    ['updates', { parent: '1', allowed_modules: 'calendar', timestamp: 0, columns: COLUMNS }, (rows: any) => rows],
  ] as const)(
    'in %s',
    async (action, parameters, rowsOf) => {
      const work = async () => {
        const { data } = await player.get('folders', action, parameters);
        expect(rowsOf(data)).toHaveLength(FOLDERS + 1);
      };
      expect(await monitor.holdOf(work)).toBeLessThanOrEqual(LONGEST_HOLD_MS);
    },
    TIMEOUT_MS,
  );
});
