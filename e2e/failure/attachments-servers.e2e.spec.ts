import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { loadModules, moduleNamesOf } from '@groupware/host';
import { runServices, type RunningServices } from '@groupware/service-kit';
import { BreakableLink, S3Process, until } from '@groupware/test-kit';
import { attach, download, envelopeOf, formOf, newObject, rows, type Target } from '../attachments/attachments';
import { createFixtures, type Fixtures } from '../fixtures';
import { createEnvironment, type Environment } from '../test-environment';

/** Uploads for each server; each is followed by a download. */
const UPLOADS = { Postgres: 60, NATS: 60, 'the file store': Number(process.env.E2E_STORE_UPLOADS ?? 250) };
const DOWN_MS = 400;
/** Clients that wait longer go away: an upload has a deadline of two minutes. */
const PATIENCE_MS = 8_000;
/** Younger files may belong to a call under way; short, so that the test sees the sweep. */
const SWEEP_AGE_MS = 4_000;
const links: Record<'Postgres' | 'NATS', BreakableLink> = {} as never;
let store: S3Process;
let environment: Environment;
let running: RunningServices;
let cast: Fixtures;

beforeAll(async () => {
  store = await S3Process.start('files');
  environment = await createEnvironment({
    FILESTORE_URL: store.storeUrl('all'),
    ATTACHMENTS_SWEEP_AGE_MS: String(SWEEP_AGE_MS),
    ATTACHMENTS_INCOMING_AGE_MS: String(SWEEP_AGE_MS),
    ATTACHMENTS_SWEEP_INTERVAL_MS: '1000',
  });
  const { variables } = environment;
  links.Postgres = await BreakableLink.openTo(variables.DATABASE_URL!);
  links.NATS = await BreakableLink.openTo(variables.NATS_URL!);
  variables.DATABASE_URL = links.Postgres.url(variables.DATABASE_URL!);
  variables.NATS_URL = links.NATS.url(variables.NATS_URL!);
  running = await runServices(await loadModules(moduleNamesOf({})), variables);
  cast = await createFixtures({
    ...environment,
    publicUrl: running.publicUrl ?? '',
    internalUrl: running.internalUrl,
    environment: variables,
    close: async () => undefined,
  });
}, 120_000);
afterAll(async () => {
  await running?.close();
  await Promise.all(Object.values(links).map((link) => link.close()));
  await environment?.drop();
  await store?.close();
}, 60_000);

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (target: Target, id: number): Promise<Buffer> => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return Buffer.from(await (await download(cast.U1, target, id, {}, { signal })).arrayBuffer());
};
const upload = async (target: Target, name: string, content: Uint8Array): Promise<number | undefined> => {
  const body = formOf({ ...target }, [{ name, content }]);
  const query = { action: 'attach', session: cast.U1.session };
  const answer = await cast.U1.fetch('POST', '/attachment', query, { body, signal: AbortSignal.timeout(PATIENCE_MS) });
  return envelopeOf(await answer.text()).data?.[0];
};

/** Takes a server away for a while. Returns how many connections or processes that ended. */
const outages: Record<keyof typeof UPLOADS, () => Promise<number>> = {
  Postgres: () => links.Postgres.break(DOWN_MS),
  NATS: () => links.NATS.break(DOWN_MS),
  'the file store': async () => {
    await store.kill();
    await wait(DOWN_MS);
    await store.run();
    return 1;
  },
};

describe('servers killed during uploads and downloads', () => {
  let target: Target;
  const acknowledged = new Map<number, string>();

  it.each(['Postgres', 'NATS', 'the file store'] as const)(
    '%s: what was acknowledged is there and whole, and work goes on by itself',
    async (server) => {
      target ??= await newObject(cast.U1);
      const uploads = UPLOADS[server];
      const before = acknowledged.size;
      let attempted = 0;
      const clients = Array.from({ length: 6 }, async () => {
        while (acknowledged.size - before < uploads && attempted < 20 * uploads) {
          const content = randomBytes(64 + ((attempted += 1) % 5) * 40_000);
          try {
            const id = await upload(target, `file ${attempted}`, content);
            if (id === undefined) await wait(50);
            else {
              acknowledged.set(id, hashOf(content));
              await bytesOf(target, id);
            }
          } catch {
            // A download that broke off, or an answer that did not come: nothing was promised.
          }
        }
      });
      for (let times = 1; times <= 2; times++) {
        await until(() => acknowledged.size - before > (times * uploads) / 4, 60_000);
        expect(await outages[server]()).toBeGreaterThan(0);
      }
      await Promise.all(clients);
      // No operator has to restart anything.
      await until(
        async () => (await attach(cast.U1, target, [{ name: 'after', content: 'after' }])).data?.length === 1,
        20_000,
      );
      expect(acknowledged.size - before).toBeGreaterThanOrEqual(uploads);
      const listed = new Set((await rows(cast.U1, 'all', target, '1')).map(([id]) => id as number));
      expect([...acknowledged.keys()].filter((id) => !listed.has(id))).toEqual([]);
      for (const [id, hash] of acknowledged)
        expect({ id, hash: hashOf(await bytesOf(target, id)) }).toEqual({ id, hash });
    },
    600_000,
  );

  it('nothing is stored that nobody has, once it was swept', async () => {
    const listed = await rows(cast.U1, 'all', target, '1,803');
    // All those named `after` have one content.
    const contents = listed.filter(([, name]) => name !== 'after').length + 1;
    await until(() => store.objects().length === contents, 30_000);
  }, 60_000);
});
