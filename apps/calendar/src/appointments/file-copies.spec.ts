import type { Transaction } from '@groupware/persistence';
import { createException } from '../domain/exception';
import { appointment } from '../testing/appointment.builder';
import { FileCopies } from './file-copies';

const series = { ...appointment(), id: 7, seriesId: 7, attachments: 2, newestAttachment: 5 };
const exception = { ...createException(series, { startMs: 1, endMs: 2, localMs: 1, position: 1 }), id: 8 };

/** A transaction that notes what it publishes and what follows its commit. */
function createTransaction() {
  const [published, effects]: [object[], (() => Promise<void>)[]] = [[], []];
  const tx = {
    contextId: 1,
    publish: async (_event: object, payload: object) => void published.push(payload),
    awaitAfterCommit: (effect: () => Promise<void>) => void effects.push(effect),
  } as unknown as Transaction;
  return { tx, published, effects };
}
const createCopies = (call: (...args: any[]) => Promise<unknown> = async () => true, rows: object[] = []): FileCopies =>
  new FileCopies(
    { call } as never,
    { read: async (_tenant: object, work: (db: object) => Promise<unknown>) => work({}) } as never,
    { listByIds: async () => rows } as never,
  );

describe('copies of files', () => {
  it('of a series are requested for its exception, which is stored without files', async () => {
    const { tx, published, effects } = createTransaction();
    const calls: any[] = [];
    const copies = createCopies(async (_operation, call) => calls.push(call));
    const [stored] = await copies.requestCopies(tx, [exception]);
    expect(stored).toMatchObject({ id: 8, attachments: 0, newestAttachment: null });
    expect(published).toEqual([{ id: 8, from: 7 }]);
    expect(calls).toEqual([]);
    for (const effect of effects) await effect();
    expect(calls).toMatchObject([{ query: { module: 1, object: 7, target: 8 }, principal: { contextId: 1 } }]);
  });

  it('are only those of the files that are named', async () => {
    const { tx, published } = createTransaction();
    await createCopies().requestCopies(tx, [exception], { files: [3] });
    expect(published).toEqual([{ id: 8, from: 7, files: [3] }]);
    expect(await createCopies().requestCopies(tx, [exception], { files: [] })).toMatchObject([{ attachments: 0 }]);
    expect(published).toHaveLength(1);
  });

  it('go to the part of a series that is split, not to other new appointments', async () => {
    const { tx, published } = createTransaction();
    const part = { ...series, id: 9, seriesId: 9 };
    await createCopies().requestCopies(tx, [part], { filesOf: 7 });
    expect(published).toEqual([{ id: 9, from: 7 }]);
    expect(await createCopies().requestCopies(tx, [part])).toMatchObject([{ attachments: 0 }]);
    expect(await createCopies().requestCopies(tx, [{ ...exception, attachments: 0 }])).toHaveLength(1);
    expect(published).toHaveLength(1);
  });

  it('that fail are left to the event', async () => {
    const { tx, effects } = createTransaction();
    const copies = createCopies(() => Promise.reject(new Error('away')));
    await copies.requestCopies(tx, [exception]);
    await expect(effects[0]!()).resolves.toBeUndefined();
    await expect(copies.copyFiles({ contextId: 1 }, { id: 8, from: 7 })).rejects.toThrow('away');
  });

  it('count in the answer with the stamp of the event that has them', async () => {
    const now = { ...exception, attachments: 2, lastModified: 30 };
    const rows = { stamp: 20, created: [{ ...exception, attachments: 0 }], changed: [{ after: series }] };
    expect(await createCopies(undefined, [now]).refreshCreated({ contextId: 1 }, rows)).toMatchObject({
      stamp: 30,
      created: [{ attachments: 2 }],
    });
    const without = { ...rows, changed: [{ after: { ...series, attachments: 0 } }] };
    expect(await createCopies(undefined, [now]).refreshCreated({ contextId: 1 }, without)).toBe(without);
  });
});
