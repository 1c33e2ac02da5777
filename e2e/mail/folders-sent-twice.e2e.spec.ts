import { SENT_TWICE } from '../test-environment';
import { startMail, storeMails, type MailFixtures } from './mailbox';

let at: MailFixtures;
beforeAll(async () => {
  // The kit throws where the second reply is not the first one.
  at = await startMail(['ann'], SENT_TWICE);
}, 120_000);
afterAll(() => at?.close());

const paths = async (): Promise<string[]> => (await at.imap.list()).map(({ path }) => path).sort();
const create = (title: string, folder_id = 'default0', autorename = false) =>
  at.cast.U1.put('folders', 'new', { folder_id, tree: 1, autorename }, { title, module: 'mail' });
const change = (id: string, body: object) =>
  at.cast.U1.put('folders', 'update', { id, tree: 1, timestamp: 9e12 }, body);
/** Deletes folders, and once more under the same key; the answers may differ in what is told of folders that are gone. */
async function remove(hardDelete: boolean, ...ids: string[]): Promise<unknown> {
  const query = {
    tree: 1,
    timestamp: 9e12,
    hardDelete,
    extendedResponse: true,
    idempotency_key: `remove-${ids.length}`,
  };
  const [first, again] = [
    await at.cast.U1.put('folders', 'delete', query, ids),
    await at.cast.U1.put('folders', 'delete', query, ids),
  ].map(({ data }) => data?.map(({ path: _path, isSupported: _isSupported, ...told }: any) => told));
  expect(again).toEqual(first);
  return first;
}

describe('a change of mail folders that the bus delivers twice', () => {
  it('creates one folder', async () => {
    expect(await create('once')).toMatchObject({ data: 'default0/once' });
    expect(await create('inside', 'default0/once')).toMatchObject({ data: 'default0/once.inside' });
    expect((await paths()).filter((path) => path.startsWith('once'))).toEqual(['once', 'once.inside']);
    expect((await create('once')).code).toBe('FLD-0012');
  });

  it('creates one folder with a number where the name is taken', async () => {
    await at.imap.mailboxCreate('taken');
    expect(await create('taken', 'default0', true)).toMatchObject({ data: 'default0/taken (1)' });
    expect(await create('taken', 'default0', true)).toMatchObject({ data: 'default0/taken (2)' });
    expect((await paths()).filter((path) => path.startsWith('taken'))).toEqual(['taken', 'taken (1)', 'taken (2)']);
  });

  it('renames and moves it, and its subscription goes along', async () => {
    await create('from');
    await create('place');
    await at.imap.mailboxUnsubscribe('from');
    expect(await change('default0/from', { title: 'to' })).toMatchObject({ data: 'default0/to' });
    expect(await change('default0/to', { folder_id: 'default0/place' })).toMatchObject({ data: 'default0/place.to' });
    const isSubscribed = async () => {
      const moved = (await at.imap.list()).find(({ path }) => path === 'place.to');
      return moved && moved.subscribed === true;
    };
    expect(await isSubscribed()).toBe(false);
    expect(await change('default0/place.to', { subscribed: true })).toMatchObject({ data: 'default0/place.to' });
    expect(await isSubscribed()).toBe(true);
    expect((await paths()).filter((path) => /^(from|to)/.test(path))).toEqual([]);
  });

  it('deletes it into the trash, and for good', async () => {
    for (const name of ['thrown', 'gone', 'gone too']) await storeMails(at.imap, name, [{ subject: name }]);
    const outcome = (name: string, hasFailed: boolean, newPath?: string) => ({
      ...{ id: `default0/${name}`, hasFailed },
      ...{ trashed: newPath !== undefined, isTrashed: newPath !== undefined },
      ...(newPath !== undefined && { new_path: newPath }),
    });
    expect(await remove(false, 'default0/thrown')).toEqual([outcome('thrown', false, '/Private folders/Trash/thrown')]);
    expect(await remove(true, 'default0/gone', 'default0/none', 'default0/gone too')).toEqual([
      outcome('gone', false),
      outcome('none', true),
      outcome('gone too', false),
    ]);
    const left = await paths();
    expect(left.filter((path) => /thrown|gone/.test(path))).toEqual(['Trash.thrown']);
  });
});
