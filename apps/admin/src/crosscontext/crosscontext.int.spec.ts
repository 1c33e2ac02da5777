import { shareEvents, type EventMessage, type Share } from '@groupware/contracts';
import type { ModuleDatabase, Transaction } from '@groupware/persistence';
import type { Clock } from '@groupware/service-kit';
import { testDatabase, until, type TestDatabase } from '@groupware/test-kit';
import { crossContextMigrations } from '.';
import { ShareGrantedConsumer } from './consumers/share-granted.consumer';
import { GrantHandler } from './handlers/grant.handler';
import { LiaisonWriter } from './liaison-writer';
import { LiaisonRepository } from './persistence/liaison.repository';
import { ShareRepository, toNotice, type ShareRow } from './persistence/share.repository';

const owner = { contextId: 1 };
const grantee = { contextId: 2 };
const REASON = 'a test looks at all rows';
const clock = { now: () => 1_000 } as Clock;
const share: Share = {
  ...{ owner: 3, module: 'calendar', kind: 'folder', folder: '10', granteeContext: grantee.contextId },
  ...{ entity: 4, group: false, permissions: 1 },
};
const shares = new ShareRepository();
let databases: TestDatabase;
let database: ModuleDatabase;

beforeAll(async () => {
  databases = await testDatabase({ admin: crossContextMigrations });
  database = await databases.of('admin');
}, 60_000);
afterAll(() => databases?.close());
beforeEach(() =>
  database.acrossContexts(REASON, async (db) => {
    await db.run('delete from share');
    await db.run('delete from liaison');
  }),
);

const count = async (table: 'share' | 'liaison') =>
  Number(await database.acrossContexts(REASON, (db) => db.text(`select count(*) from ${table}`)));
const insertShare = () => database.transact(owner, (tx) => shares.upsert(tx, share, clock.now()));

describe('the liaison of a share', () => {
  /** A revocation that begins while the liaison is written. */
  class RevokingLiaisons extends LiaisonRepository {
    revocation: Promise<unknown> | undefined;

    override async upsertShare(tx: Transaction, row: ShareRow): Promise<void> {
      let hasEnded = false;
      this.revocation = revoke(row).finally(() => (hasEnded = true));
      await until(async () => hasEnded || (await hasLockWaiter()));
      return super.upsertShare(tx, row);
    }
  }
  const hasLockWaiter = async () => {
    const found = await database.read(owner, (db) =>
      db.acrossContexts(REASON).text(`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from share%'`),
    );
    return found !== undefined;
  };
  const revoke = async (row: ShareRow) => {
    await database.transact(owner, (tx) => shares.delete(tx, row.shareId));
    await database.transact(grantee, (tx) => new LiaisonRepository().deleteShare(tx, owner.contextId, row.shareId));
  };
  let liaisons: RevokingLiaisons;
  let writer: LiaisonWriter;

  beforeEach(() => {
    liaisons = new RevokingLiaisons();
    writer = new LiaisonWriter(database, shares, liaisons);
  });

  it('goes with a share that is revoked while the event of its grant is consumed', async () => {
    const row = await insertShare();
    const event = shareEvents['share.granted'];
    const message = { contextId: owner.contextId, type: event.name, payload: toNotice(row) } as unknown as EventMessage<
      ReturnType<typeof toNotice>
    >;
    await database.transact(owner, (tx) => new ShareGrantedConsumer(writer).handle(message, tx));
    await liaisons.revocation;
    expect([await count('share'), await count('liaison')]).toEqual([0, 0]);
  });

  it('goes with a share that is revoked while it is granted', async () => {
    const principal = { kind: 'internal', service: 'spec', ...owner } as const;
    await new GrantHandler(database, shares, writer, clock).handle({ principal, query: share } as never);
    await liaisons.revocation;
    expect([await count('share'), await count('liaison')]).toEqual([0, 0]);
  });
});
