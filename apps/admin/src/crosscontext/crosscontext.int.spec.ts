import { RequestErrors, shareEvents, type EventMessage, type Share } from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';
import type { ModuleDatabase, Transaction } from '@groupware/persistence';
import { testDatabase, until, type TestDatabase } from '@groupware/test-kit';
import { crossContextMigrations } from '.';
import { ShareGrantedConsumer } from './consumers/share-granted.consumer';
import { GrantHandler } from './handlers/grant.handler';
import { LiaisonWriter } from './liaison-writer';
import { LiaisonRepository } from './persistence/liaison.repository';
import { ShareRepository, toNotice, type ShareRow } from './persistence/share.repository';
import { PurgeRetries } from './purge-retries';
import { Purges } from './purges';
import { Revokers } from './revokers';

const owner = { contextId: 1 };
const grantee = { contextId: 2 };
const REASON = 'a test looks at all rows';
const clock = { now: () => 1_000 };
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
const insertShare = (parts: Partial<Share> = {}) =>
  database.transact(owner, (tx) => shares.upsert(tx, { ...share, ...parts }, clock.now()));

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

describe('retries of a purge', () => {
  const FOLDERS = Array.from({ length: 25 }, (_none, index) => String(index));
  let now: number;
  let attempts: ShareRow[];
  let revoke: (row: ShareRow) => Promise<boolean>;

  beforeEach(async () => {
    now = 1_000_000;
    attempts = [];
    revoke = (row) => database.transact(row, (tx) => shares.delete(tx, row.shareId));
    for (const folder of FOLDERS) {
      const { shareId } = await insertShare({ folder });
      await database.transact(owner, (tx) => shares.updateRetry(tx, shareId, () => now));
    }
  });

  const purges = (repository = shares) => {
    const liaisons = new LiaisonRepository();
    const revokers = new Revokers({} as Caller, database, repository, liaisons);
    revokers.revokeShare = async (row) => {
      attempts.push(row);
      return revoke(row);
    };
    return new Purges(database, repository, liaisons, revokers, { now: () => now });
  };
  const attemptsByFolder = () => new Set(attempts.map(({ folder }) => folder)).size;
  const storedAttempts = () =>
    database.acrossContexts(REASON, (db) => db.rows('select distinct attempts from share order by attempts'));
  const unavailable = () => Promise.reject(RequestErrors.serviceUnavailable('calendar'));

  it('are divided among processes, so that a failure counts once', async () => {
    revoke = unavailable;
    await Promise.all([purges().retryDeferred(() => false), purges().retryDeferred(() => false)]);
    expect([attempts.length, attemptsByFolder()]).toEqual([FOLDERS.length, FOLDERS.length]);
    expect(await storedAttempts()).toEqual([[2]]);
  });

  it('are taken over when the process that claimed them ended', async () => {
    const [claimed] = await database.onShard('default', REASON, (db) => shares.claimDue(db, now, 1_000, 1));
    expect(claimed).toBeDefined();
    await purges().retryDeferred(() => false);
    expect(await count('share')).toBe(1);
    now += 1_000;
    await purges().retryDeferred(() => false);
    expect(await count('share')).toBe(0);
  });

  it('go on after an item whose failure cannot be noted', async () => {
    class FailingShares extends ShareRepository {
      override updateRetry(): Promise<void> {
        return Promise.reject(new Error('the database is away'));
      }
    }
    revoke = unavailable;
    await purges(new FailingShares()).retryDeferred(() => false);
    expect(attemptsByFolder()).toBe(FOLDERS.length);
  });

  it('end after the item under way when the process stops', async () => {
    const retries = new PurgeRetries(purges());
    const gone = revoke;
    let stopped: Promise<void> | undefined;
    revoke = (row) => {
      stopped = retries.stop();
      return gone(row);
    };
    retries.requestRound();
    await until(() => stopped !== undefined);
    await stopped;
    expect(attempts).toHaveLength(1);
  });

  it('give up what fails for good, and count that', async () => {
    revoke = () => Promise.reject(new Error('a bug'));
    const before = await givenUp();
    await purges().retryDeferred(() => false);
    expect((await givenUp()) - before).toBe(FOLDERS.length);
    now *= 1_000;
    attempts = [];
    await purges().retryDeferred(() => false);
    expect(attempts).toEqual([]);
  });
});

const givenUp = async (): Promise<number> => {
  const { register } = await import('prom-client');
  const metric = await register.getSingleMetric('groupware_share_purges_given_up_total')!.get();
  return metric.values[0]?.value ?? 0;
};
