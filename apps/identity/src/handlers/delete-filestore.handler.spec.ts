import type { Filestore } from '@groupware/contracts';
import type { ModuleDatabase } from '@groupware/persistence';
import { DeleteFilestoreHandler } from './delete-filestore.handler';

const STORE = { id: 7, contexts: 0 } as Filestore;

/** Deletes a file store; `seen` is what each look at it finds. */
function deleteStore({ seen, missingOk }: { seen: (Filestore | undefined)[]; missingOk: boolean }) {
  const finds = [...seen];
  const database = { acrossContexts: (_reason: string, work: (db: object) => unknown) => work({}) };
  const stores = {
    findFilestore: () => Promise.resolve(finds.shift()),
    deleteFilestore: () => Promise.resolve(false),
  };
  const handler = new DeleteFilestoreHandler(
    database as unknown as ModuleDatabase,
    stores as never,
    {} as never,
    { call: () => Promise.resolve(false) } as never,
    {} as never,
  );
  const principal = { kind: 'master', login: 'master' } as const;
  return handler.handle({ principal, query: { filestoreId: 7, missingOk } } as never);
}

describe('deleting a file store that another call deletes meanwhile', () => {
  it.each([
    ['before the transaction', [STORE, undefined]],
    ['between two statements of it', [STORE, STORE, undefined]],
  ])('succeeds %s where it may be missing, and is refused where not', async (_when, seen) => {
    expect(await deleteStore({ seen, missingOk: true })).toMatchObject({ options: { status: 200 } });
    await expect(deleteStore({ seen, missingOk: false })).rejects.toMatchObject({ code: 'INST-0001' });
  });

  it('is refused while contexts use it', async () => {
    const deletion = deleteStore({ seen: [STORE, STORE, STORE], missingOk: true });
    await expect(deletion).rejects.toMatchObject({ code: 'INST-0002' });
  });
});
