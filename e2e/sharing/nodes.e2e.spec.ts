import { createFixtures, type Fixtures } from '../fixtures';
import { createProcessWorld, type ProcessWorld } from '../processes';
import { calendarOf, deleteLink, linkOf, Visitor } from './sharing';

/** Each call is answered by one node or the other. */
const ROUNDS = Number(process.env.E2E_NODE_ROUNDS ?? 25);
let world: ProcessWorld;
let cast: Fixtures;

beforeAll(async () => {
  const node = 'identity,folders,calendar';
  world = await createProcessWorld([node, node]);
  cast = await createFixtures(world);
}, 300_000);
afterAll(() => world?.close(), 60_000);

describe('links on several nodes', () => {
  it('SH-73 open as soon as they are made, and open nothing once they are deleted', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const folder = await calendarOf(cast.U1);
      const { url, timestamp } = await linkOf(cast.U1, folder);
      const opened = await Promise.all(
        [1, 2, 3, 4].map((visitor) => new Visitor(world.publicUrl, `Nodes/${round}.${visitor}`).open(url)),
      );
      expect(opened.map(({ status }) => status)).toEqual([302, 302, 302, 302]);
      expect(await opened[0]!.calendars()).toEqual([folder]);
      expect((await deleteLink(cast.U1, folder, timestamp)).error).toBeUndefined();
      const late = await Promise.all(
        [5, 6, 7, 8].map((visitor) => new Visitor(world.publicUrl, `Nodes/${round}.${visitor}`).open(url)),
      );
      expect(late.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      const codes = await Promise.all(
        opened.map(async (visitor) => (await visitor.get('folders', 'root', { columns: '1' })).code),
      );
      expect(codes).toEqual(['SES-0203', 'SES-0203', 'SES-0203', 'SES-0203']);
    }
  }, 600_000);
});
