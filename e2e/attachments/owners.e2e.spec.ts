// First: the attachments service asks which modules own objects when it is loaded.
import { board, CARDS, countFiles, createCard, deleteCard } from './board';
import path from 'node:path';
import { filesBelow, until } from '@groupware/test-kit';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { attach, attachFiles, download, rows } from './attachments';

let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({ services: [board] });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('attachments of a module beside the calendar', () => {
  it('follow its rights, tell it their number and go with its objects', async () => {
    const card = { module: CARDS, attached: 11, folder: 5 };
    await createCard(cast.U1, card.attached, card.folder);
    const files = ['a', 'b'].map((name) => ({ name: `${name}.txt`, content: name }));
    const [first] = await attachFiles(cast.U1, card, files);
    expect(await countFiles(cast.U1, card.attached)).toBe(2);
    expect(await rows(cast.U2, 'all', card, '800,801,802,803')).toEqual([
      [5, 11, CARDS, 'a.txt'],
      [5, 11, CARDS, 'b.txt'],
    ]);
    expect(await (await download(cast.U2, card, first!)).text()).toBe('a');
    expect(await attach(cast.U2, card, files)).toMatchObject({ code: 'ATT-0418' });
    expect(await cast.U2.put('attachment', 'detach', card, [first])).toMatchObject({ code: 'ATT-0418' });
    expect(await cast.U2.get('attachment', 'all', { ...card, folder: 6, columns: '1' })).toMatchObject({
      code: 'ATT-0418',
    });
    await cast.U1.put('attachment', 'detach', card, [first]);
    expect(await countFiles(cast.U1, card.attached)).toBe(1);
    await deleteCard(cast.U1, card.attached);
    await until(() => filesBelow(path.join(world.environment.DATA_DIR!, 'files')).length === 0);
    // An id that is used again has none of the old files.
    await createCard(cast.U1, card.attached, card.folder);
    expect(await rows(cast.U1, 'all', card, '1')).toEqual([]);
  });

  it.each([3, 138])('do not exist for module %i, which nobody owns yet', async (module) => {
    const answer = await cast.U1.get('attachment', 'all', { module, attached: 1, folder: 1, columns: '1' });
    expect(answer).toMatchObject({ code: 'ATT-0418' });
  });
});
