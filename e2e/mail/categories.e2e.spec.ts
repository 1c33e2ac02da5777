import { startFilterWorld, type FilterWorld } from '../mail-filter/filter-world';

let at: FilterWorld;
beforeAll(async () => {
  const prefix = 'com.example.mail.categories';
  at = await startFilterWorld({
    [prefix]: 'true',
    // The mail servers here are those of users, of which capabilities know nothing.
    'com.example.capabilities.servedElsewhere': 'mail_categories',
    [`${prefix}.identifiers`]: 'promotion,social,general,broken,asleep',
    'com.example.mail.user.categories.identifiers': 'uc1',
    [`${prefix}.promotion.flag`]: '$promotion',
    [`${prefix}.social.flag`]: '$social',
    [`${prefix}.uc1.flag`]: '$uc1',
    [`${prefix}.broken.flag`]: 'two words',
    [`${prefix}.asleep.flag`]: '$asleep',
    [`${prefix}.asleep.active`]: 'false',
  });
  const { admin, contextId, U2 } = at.cast;
  await admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${U2.userId}/config/${prefix}`, { value: 'false' });
}, 120_000);
afterAll(() => at?.close());

const FOLDER = 'default0/INBOX';
const MODULE = 'mail/categories';
const inbox = async (parameters: object = {}): Promise<string[]> => {
  const query = { folder: FOLDER, columns: '607', sort: 607, order: 'asc', ...parameters };
  return (await at.cast.U1.get('mail', 'all', query)).data.map(([subject]: [string]) => subject);
};
const idOf = async (subject: string): Promise<string> => {
  const query = { folder: FOLDER, columns: '600,607' };
  const { data } = await at.cast.U1.get('mail', 'all', query);
  return data.find(([, each]: [string, string]) => each === subject)[0];
};
const move = (category_id: string, ids: readonly string[], folder_id = FOLDER) =>
  at.cast.U1.put(
    MODULE,
    'move',
    { category_id },
    ids.map((id) => ({ id, folder_id })),
  );
const train = (category_id: string, from: readonly string[], parameters: Record<string, boolean> = {}) =>
  at.cast.U1.put(MODULE, 'train', { category_id, ...parameters }, { from });
const unread = async (parameters: object = {}) => (await at.cast.U1.get(MODULE, 'unread', { ...parameters })).data;

describe('categories of mails', () => {
  it('XC-02 XC-03 XC-04 XC-05 XC-07 hold the mails that are moved into them', async () => {
    for (const subject of ['a', 'b', 'c']) await at.deliver({ subject });
    expect(await unread()).toEqual({ promotion: 0, social: 0, uc1: 0, general: 3 });
    const [a, b] = [await idOf('a'), await idOf('b')];
    const { data, error } = await move('promotion', [a, b]);
    expect([data, error]).toEqual([null, undefined]);
    expect(await inbox({ categoryid: 'promotion' })).toEqual(['a', 'b']);
    expect(await inbox({ filter: 'general' })).toEqual(['c']);
    expect(await inbox({ categoryid: 'general', unseen: true })).toEqual(['c']);
    const conversations = await at.cast.U1.get('mail', 'threadedAll', {
      ...{ folder: FOLDER, columns: '607', sort: 607, order: 'asc', categoryid: 'promotion' },
    });
    expect(conversations.data.map(({ subject }: { subject: string }) => subject)).toEqual(['a', 'b']);
    // A category of the user goes before those of the system, also where another client set both.
    await move('uc1', [b]);
    expect(await unread()).toEqual({ promotion: 1, social: 0, uc1: 1, general: 1 });
    expect(await unread({ category_ids: 'promotion,unknown,general' })).toEqual({ promotion: 1, general: 1 });
    await move('general', [a]);
    expect(await inbox({ categoryid: 'general' })).toEqual(['a', 'c']);
    for (const unknown of ['broken', 'asleep', 'unknown']) {
      expect((await move(unknown, [a])).code).toBe('MAIL_CATEGORIES-0002');
      expect((await train(unknown, ['x@far.test'])).code).toBe('MAIL_CATEGORIES-0002');
      for (const action of ['all', 'threadedAll']) {
        const query = { folder: FOLDER, columns: '607', categoryid: unknown };
        expect((await at.cast.U1.get('mail', action, query)).code).toBe('MSG-0103');
      }
    }
    await move('social', [a], 'default0/Sent');
    expect(await inbox({ categoryid: 'social' })).toEqual([]);
  });

  it('XC-06 learn whose mails they hold', async () => {
    await at.deliver({ subject: 'old', from: 'News <News@shop.test>' });
    await at.deliver({ subject: 'near', from: 'xnews@shop.test' });
    const both = { 'apply-for-existing': true, 'apply-for-future-ones': true };
    const { data, error } = await train('promotion', ['news@shop.test'], both);
    expect([data, error]).toEqual([null, undefined]);
    expect(await inbox({ categoryid: 'promotion' })).toEqual(['old']);
    const deliver = async (subject: string, from: string) => (await at.deliver({ subject, from })).flags;
    expect(await deliver('next', 'news@shop.test')).toEqual(['$promotion']);
    expect(await inbox({ categoryid: 'promotion' })).toEqual(['next', 'old']);
    await train('promotion', ['more@shop.test'], both);
    expect(await deliver('more', 'more@shop.test')).toEqual(['$promotion']);
    const { U1 } = at.cast;
    expect((await U1.get('mailfilter/v2', 'list')).data).toEqual([]);
    expect((await U1.get('mailfilter/v2', 'list', { flag: 'category' })).data).toMatchObject([
      { rulename: 'promotion', flags: ['category'], active: true },
    ]);
    // Into another one: no longer into the first.
    await train('social', ['news@shop.test'], both);
    expect(await deliver('third', 'news@shop.test')).toEqual(['$social']);
    expect(await inbox({ categoryid: 'social' })).toEqual(['next', 'old', 'third']);
    await train('general', ['news@shop.test', 'more@shop.test'], both);
    expect(await deliver('fourth', 'news@shop.test')).toEqual([]);
    expect((await U1.get('mailfilter/v2', 'list', { flag: 'category' })).data).toEqual([]);
    expect((await train('social', [])).code).toBe('MAIL_CATEGORIES-0004');
    expect((await train('social', ['no address'])).code).toBe('MSG-1008');
  });

  it('need the mail filter for mails to come', async () => {
    const { admin, contextId, U1 } = at.cast;
    const path = `/admin/v1/contexts/${contextId}/users/${U1.userId}`;
    await admin.expect('PATCH', path, { capabilities: { remove: ['mailfilter'] } });
    const future = { 'apply-for-future-ones': true };
    const end = Date.now() + 10_000;
    while ((await train('social', ['x@far.test'], future)).code === undefined && Date.now() < end);
    expect((await train('social', ['x@far.test'], future)).code).toBe('MAIL_CATEGORIES-0003');
    expect((await train('social', ['x@far.test'], { 'apply-for-existing': true })).error).toBeUndefined();
    await admin.expect('PATCH', path, { capabilities: { remove: [] } });
  });

  it('XC-01 are no more than a refusal where they are switched off, and lists are whole', async () => {
    const { U1, U2 } = at.cast;
    const off = [
      await U2.get(MODULE, 'unread'),
      await U2.put(MODULE, 'move', { category_id: 'promotion' }, []),
      await U2.put(MODULE, 'train', { category_id: 'promotion' }, { from: ['x@far.test'] }),
    ];
    expect(off.map(({ code }) => code)).toEqual(Array(3).fill('MAIL_CATEGORIES-0001'));
    await at.deliver({ subject: 'whole', login: 'bob' });
    const query = { folder: FOLDER, columns: '607', categoryid: 'promotion' };
    expect((await U2.get('mail', 'all', query)).data).toEqual([['whole']]);
    const hasCapability = async (user: typeof U1) =>
      (await user.get('capabilities', 'get', { id: 'mail_categories' })).data.id !== undefined;
    expect([await hasCapability(U1), await hasCapability(U2)]).toEqual([true, false]);
  });
});
