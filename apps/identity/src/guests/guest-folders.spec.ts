import {
  MODULE,
  shareableFolderOwners,
  foldersWithdrawnEvents,
  RequestErrors,
  type EventMessage,
  type FoldersWithdrawn,
} from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';
import { createFoldersWithdrawnConsumer } from '../consumers/folders-withdrawn.consumer';
import { GuestFolders } from './guest-folders';
import { GuestWithdrawals } from './guest-withdrawals';

const DAY_MS = 86_400_000;
const NOW = 10 * DAY_MS;

/** The modules answer what is given for them; one without entry does not answer. */
function createGuestFolders(granted: Record<string, { entity: number; folder: number }[]>): GuestFolders {
  const call = jest.fn(({ subject }: { subject: string }) => {
    const owner = shareableFolderOwners().find(({ contract }) => contract.granted.subject === subject)!;
    const found = granted[owner.module];
    return found ? Promise.resolve(found) : Promise.reject(RequestErrors.serviceUnavailable(owner.module));
  });
  return new GuestFolders({ call } as unknown as Caller);
}

const nothing = Object.fromEntries(shareableFolderOwners().map(({ module }) => [module, []]));

describe('folders of a guest', () => {
  it('are those of all modules', async () => {
    const folders = createGuestFolders({
      ...nothing,
      calendar: [{ entity: 7, folder: 31 }],
      contacts: [{ entity: 7, folder: 62 }],
    });
    expect(await folders.listFolders(1, 7)).toEqual([
      { module: 'calendar', folder: 31 },
      { module: 'contacts', folder: 62 },
    ]);
  });

  it('are those of the others while a module is down, and unknown when these have none', async () => {
    const { contacts: _down, ...others } = nothing;
    const shared = createGuestFolders({ ...others, calendar: [{ entity: 7, folder: 31 }] });
    expect(await shared.listFolders(1, 7)).toEqual([{ module: 'calendar', folder: 31 }]);
    await expect(createGuestFolders(others).listFolders(1, 7)).rejects.toMatchObject({ code: 'SVL-0032' });
  });
});

describe('a guest who lost the last right in one module', () => {
  const message = (stamp: number): EventMessage<FoldersWithdrawn> => ({
    ...{ id: 'a', name: 'calendar.folders.withdrawn', contextId: 1, occurredAt: stamp },
    payload: { entities: [7, 8], stamp },
  });

  async function deleteGuests(folders: GuestFolders, stamp: number): Promise<unknown[][]> {
    const deleteWithdrawn = jest.fn();
    const Consumer = createFoldersWithdrawnConsumer(foldersWithdrawnEvents()[0]!);
    const removeGuests = (_tx: unknown, ids: readonly number[], at: number) => deleteWithdrawn(_tx, ids, at);
    const consumer = new Consumer({ removeGuests, endSessions: jest.fn() }, folders, { now: () => NOW });
    const kept = await consumer.prepare(message(stamp));
    await consumer.handle(message(stamp), {}, kept);
    return deleteWithdrawn.mock.calls.map(([, ids, at]) => [ids, at]);
  }

  it('goes without rights in another one', async () => {
    const folders = createGuestFolders({ ...nothing, contacts: [{ entity: 8, folder: 62 }] });
    expect(await deleteGuests(folders, NOW)).toEqual([[[7], NOW]]);
  });

  it('stays while a module does not answer: the event comes again, for a day', async () => {
    const { contacts: _down, ...others } = nothing;
    const folders = createGuestFolders(others);
    await expect(deleteGuests(folders, NOW - DAY_MS + 1)).rejects.toMatchObject({ code: 'SVL-0032' });
    expect(await deleteGuests(folders, NOW - DAY_MS)).toEqual([]);
  });

  it('goes at once where a module asks for it, and by a link while others than its module are down', async () => {
    const { contacts: _down, ...others } = nothing;
    const guests = [
      { id: 5, module: null },
      { id: 7, module: 'infostore' },
      { id: 8, module: 'infostore' },
    ];
    const [deleteWithdrawn, refreshUsers, notifyEntitiesChanged] = [jest.fn(), jest.fn(), jest.fn()];
    const withdrawals = (folders: GuestFolders) =>
      new GuestWithdrawals(
        {
          read: (_tenant: object, work: (db: object) => unknown) => work({}),
          transact: (_tenant: object, work: (tx: object) => unknown) => work({}),
        } as never,
        { listByIds: async () => guests, deleteWithdrawn } as never,
        folders,
        { refreshUsers } as never,
        { notifyEntitiesChanged } as never,
        { value: () => '2W' } as never,
      );
    const ended = { entities: [5, 7, 8, 9], stamp: NOW };
    const some = { infostore: [{ entity: 8, folder: 10 }] };
    const down = withdrawals(createGuestFolders({ ...others, ...some }));
    await expect(down.removeWithoutRights({ contextId: 1 }, ended)).rejects.toMatchObject({ code: 'SVL-0032' });
    expect(deleteWithdrawn.mock.calls).toEqual([[{}, [7], NOW, true]]);
    expect(refreshUsers.mock.calls).toEqual([[1, [7]]]);
    await withdrawals(createGuestFolders({ ...nothing, ...some })).removeWithoutRights({ contextId: 1 }, ended);
    expect(refreshUsers.mock.calls.slice(1)).toEqual([
      [1, [7]],
      [1, [5]],
    ]);
    // Caches of other services forget them.
    expect(notifyEntitiesChanged.mock.calls).toEqual(refreshUsers.mock.calls);
  });

  it('is heard of from the service of every module with folders', () => {
    const services = shareableFolderOwners().map(({ contract }) => contract[MODULE].service);
    expect(services).toEqual(expect.arrayContaining(['calendar', 'contacts', 'files', 'tasks']));
    expect(foldersWithdrawnEvents().map(({ name }) => name)).toEqual(
      expect.arrayContaining(services.map((service) => `${service}.folders.withdrawn`)),
    );
  });
});
