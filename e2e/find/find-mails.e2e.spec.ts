import { createTestUser } from '../fixtures';
import { provisionMailbox, startMail, storeMails, type MailFixtures, type StoredMail } from '../mail/mailbox';
import { createFolder } from '../contacts/contacts';
import { bare, complete, facetsOf, found, option, query, words, type ChosenFacet } from './find-client';

let at: MailFixtures;
beforeAll(async () => {
  at = await startMail();
}, 120_000);
afterAll(() => at?.close());

const DAY_MS = 86_400_000;
const store = (folder: string, mails: readonly StoredMail[]) => storeMails(at.imap, folder, mails);
const inFolder = (name: string): ChosenFacet => bare('folder', `default0/${name}`);
const ask = (facets: readonly ChosenFacet[], body: object = {}, more: object = {}) =>
  query(at.cast.U1, 'mail', facets, more, body);
const subjects = (...facets: ChosenFacet[]) => found(ask(facets), 'subject');
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

describe('finding mails', () => {
  it('FI-57 looks for all words in the fields of the facet, the newest first', async () => {
    const here = inFolder('INBOX');
    await store('INBOX', [
      { subject: 'Invoice 77', text: 'of Müller', received: '2024-01-01T00:00:00Z' },
      { subject: 'invoice 78', from: 'Ed <ed@mail.test>', received: '2024-03-01T00:00:00Z' },
      { subject: 'reminder', text: 'invoice', received: '2024-02-01T00:00:00Z' },
    ]);
    expect(await subjects(words('subject', 'subject', 'invoice'), here)).toEqual(['invoice 78', 'Invoice 77']);
    expect(await subjects(words('subject', 'subject', 'invoice', '77'), here)).toEqual(['Invoice 77']);
    expect(await subjects(words('mail_text', 'body', 'invoice'), here)).toEqual(['reminder']);
    expect(await subjects(words('global', 'global', 'ed@mail.test', 'invoice'), here)).toEqual(['invoice 78']);
    expect(await subjects(words('global', 'global', 'Hello'), here)).toEqual([]);
    expect(await subjects(words('subject', 'subject', '*'), here)).toHaveLength(3);
    expect(await subjects(words('subject', 'subject', 'inv*78'), here)).toEqual(['invoice 78']);
    expect(await subjects(words('subject', 'subject', 'inv*79'), here)).toEqual([]);
    expect(await subjects(here)).toHaveLength(3);
    // Text that would end a quoted one or begin another command is a text like any other.
    for (const text of ['" BODY "x', 'x\r\nA1 DELETE INBOX', '{5}', '\\', 'ü"\u0001'])
      expect(await subjects(words('subject', 'subject', text), here)).toEqual([]);
  });

  it('FI-57 answers the columns that are asked for, and headers', async () => {
    const [id] = await store('Columns', [{ subject: 'one', headers: ['X-Kind: special'] }]);
    const facets = [words('subject', 'subject', 'one'), inFolder('Columns')];
    const { data } = await ask(facets, {}, { columns: '607,X-Kind,99999' });
    expect(data).toEqual({
      ...{ num_found: -1, start: 0, size: 1 },
      results: [{ id, folder_id: 'default0/Columns', subject: 'one', 'X-Kind': 'special' }],
    });
    expect((await ask(facets)).data.results[0]).toMatchObject({ id, subject: 'one', flags: 64 });
  });

  it('FI-58 FI-59 offers people with all their addresses, recipients first among sent mails', async () => {
    const K = await createFolder(at.cast.U1);
    const person = { display_name: 'Zed Two', email1: 'zed@one.example', email2: 'zed@two.example' };
    await at.cast.U1.put('contacts', 'new', {}, { folder_id: K, ...person });
    await at.cast.U1.put(
      'contacts',
      'new',
      {},
      {
        ...{ folder_id: K, display_name: 'Zed List' },
        distribution_list: [{ display_name: 'x', mail: 'zed@three.example', mail_field: 0 }],
      },
    );
    await store('People', [
      { subject: 'first', from: 'Z <zed@one.example>' },
      { subject: 'second', from: 'Z <zed@two.example>' },
      { subject: 'third', headers: ['To: zed@two.example'] },
    ]);
    const here = inFolder('People');
    const facets = await facetsOf(complete(at.cast.U1, 'mail', 'zed', [here]));
    expect([...facets.keys()]).toEqual(['global', 'subject', 'mail_text', 'contacts', 'date']);
    const [value, typed] = facets.get('contacts').values;
    expect(facets.get('contacts').values).toHaveLength(2);
    expect(value.item).toEqual({ name: 'Zed Two', detail: 'zed@one.example' });
    expect(value.options.map(({ id }: { id: string }) => id)).toEqual(['from', 'to', 'all']);
    expect(typed).toMatchObject({ id: 'zed', item: { name: 'zed' } });
    const choose = (index: number): ChosenFacet => ({
      ...{ facet: 'contacts', value: value.id, filter: value.options[index].filter },
    });
    expect(await subjects(choose(0), here)).toEqual(['second', 'first']);
    expect(await subjects(choose(1), here)).toEqual(['third']);
    expect(await subjects(choose(2), here)).toEqual(['third', 'second', 'first']);

    const firstOption = (values: any[]) => values[0].options[0].id;
    const again = await facetsOf(complete(at.cast.U1, 'mail', 'zed', [here, choose(0)]));
    expect(again.get('contacts').values).toHaveLength(1);
    expect(firstOption(again.get('contacts').values)).toBe('to');
    await store('Sent', [{ subject: 'to', headers: ['Bcc: hidden@one.example', `Date: ${new Date().toUTCString()}`] }]);
    const sent = await facetsOf(complete(at.cast.U1, 'mail', 'zed', [inFolder('Sent')], { limit: 1 }));
    expect(firstOption(sent.get('contacts').values)).toBe('to');
    expect(await subjects(words('global', 'global', 'hidden@'), inFolder('Sent'))).toEqual(['to']);
    // The mail was stored as received in 2024; it says itself that it is of today.
    expect(await subjects(bare('date', 'last_week'), inFolder('Sent'))).toEqual(['to']);
    expect((await facetsOf(complete(at.cast.U1, 'mail', ''))).has('global')).toBe(false);
  });

  it('FI-61 looks for mails of a range of time', async () => {
    await store('Dates', [
      { subject: 'year', received: ago(300) },
      { subject: 'month', received: ago(20) },
      { subject: 'more than a week', received: ago(7.01) },
      { subject: 'week', received: ago(6.99) },
    ]);
    const here = inFolder('Dates');
    const within = (value: string) => subjects(bare('date', value), here);
    expect(await subjects(option('date', 'date', 'last_week'), here)).toEqual(['week']);
    expect(await within('last_month')).toEqual(['week', 'more than a week', 'month']);
    expect(await within('last_year')).toHaveLength(4);
    const [from, to] = [Date.now() - 25 * DAY_MS, Date.now() - 15 * DAY_MS];
    expect(await within(`[${from} TO ${to}]`)).toEqual(['month']);
    expect(await within(`{* TO ${from}}`)).toEqual(['year']);
    expect(await within('[* TO *]')).toHaveLength(4);
    expect((await facetsOf(complete(at.cast.U1, 'mail', '', [bare('date', 'last_week')]))).has('date')).toBe(false);
  });

  it('FI-62 answers pages', async () => {
    await store(
      'Pages',
      [1, 2, 3, 4, 5].map((number) => ({ subject: `page ${number}` })),
    );
    const page = (start: number, size = 2) =>
      found(ask([words('subject', 'subject', 'page'), inFolder('Pages')], { start, size }), 'subject');
    expect(await page(0)).toEqual(['page 5', 'page 4']);
    expect(await page(2)).toEqual(['page 3', 'page 2']);
    expect(await page(4)).toEqual(['page 1']);
    expect(await page(9)).toEqual([]);
    expect(await page(0, 0)).toEqual([]);
  });

  it('FI-60 answers the error of the mail server, and says what is missing', async () => {
    const text = words('subject', 'subject', 'x');
    const codeOf = async (...facets: ChosenFacet[]) => (await ask(facets)).code;
    expect(await codeOf(text)).toBe('FIND-0011');
    expect(await codeOf(text, inFolder('Nowhere'))).toBe('IMAP-1002');
    expect(await codeOf(text, bare('folder', 'default77/INBOX'))).toBe('ACC-0002');
    expect(await codeOf(text, bare('folder', 'default0'))).toBe('MSG-0050');
    expect(await codeOf(bare('date', '[later TO'), inFolder('INBOX'))).toBe('FIND-0004');
    expect(await codeOf(bare('contacts', 'contact/1/1'), inFolder('INBOX'))).toBe('FIND-0005');
    expect(await codeOf(bare('folder_type', 'private'), inFolder('INBOX'))).toBe('FIND-0008');
    const many = Array.from({ length: 50 }, (_each, index) => `x${index}`);
    const large = Array.from({ length: 20 }, () => words('subject', 'subject', ...many));
    expect(await codeOf(...large, inFolder('INBOX'))).toBe('MSG-0003');
    const { world, cast } = at;
    const refused = await createTestUser(world, cast.admin, cast.contextId, 'refused');
    await provisionMailbox(at, refused, { login: 'nobody' });
    const away = await createTestUser(world, cast.admin, cast.contextId, 'away');
    await provisionMailbox(at, away, { login: 'ann', host: 'nowhere.test', port: 1993 });
    expect((await query(refused, 'mail', [text, inFolder('INBOX')])).code).toBe('MSG-1000');
    expect((await query(away, 'mail', [text, inFolder('INBOX')])).code).toBe('MSG-1016');
    expect((await complete(away, 'mail', 'x', [inFolder('INBOX')])).code).toBe('MSG-1016');
    // U2 has no mailbox.
    expect((await query(at.cast.U2, 'mail', [text, inFolder('INBOX')])).code).toBe('ACC-0002');
  });
});
