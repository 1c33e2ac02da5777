import { createTestUser } from '../fixtures';
import { startMail, storeMails, type MailFixtures } from './mailbox';

let at: MailFixtures;
/** Folder of the contacts that the user made. */
let ownFolder: string;
const HOUR = 3_600_000;
const DAY = Date.UTC(2031, 4, 5);
const range = { start: DAY, end: DAY + 24 * HOUR };
const [CONTACTS, APPOINTMENTS, MAIL] = ['contacts', 'appointments', 'mail'].map((id) => `com.example.halo.${id}`) as [
  string,
  string,
  string,
];
beforeAll(async () => {
  at = await startMail(['ann', 'bob']);
  const { U1, U2 } = at.cast;
  const { data: folders } = await U1.get('folders', 'allVisible', { content_type: 'contacts', columns: '1,308' });
  const folder = folders.private.find((row: unknown[]) => row[1] === true)[0];
  ownFolder = String(folder);
  for (const [display_name, email2] of [
    ['Carl', 'carl@x.example'],
    ['Dora', 'dora@x.example'],
    ['Colleague', U2.email],
  ])
    await U1.put('contacts', 'new', {}, { folder_id: folder, display_name, email2 });
  const appointment = (title: string, hour: number, participants: object[]) =>
    U1.put(
      'calendar',
      'new',
      {},
      {
        ...{ title, folder_id: U1.folder, ignore_conflicts: true, participants },
        ...{ start_date: DAY + hour * HOUR, end_date: DAY + (hour + 1) * HOUR },
      },
    );
  await appointment('with Bob', 9, [{ type: 1, id: U2.userId }]);
  await appointment('with Carl', 11, [{ type: 5, mail: 'carl@x.example' }]);
  await appointment('alone', 13, []);
  await storeMails(at.imap, 'INBOX', [
    { subject: 'from Carl', from: 'Carl <carl@x.example>', received: '2024-01-01T00:00:00Z' },
    { subject: 'from Dora', from: 'dora@x.example', received: '2024-01-02T00:00:00Z' },
  ]);
  await storeMails(at.imap, 'Sent', [
    { subject: 'to Carl', headers: ['To: Carl@x.example'], received: '2024-01-03T00:00:00Z' },
  ]);
}, 120_000);
afterAll(() => at?.close());

const ask = (provider: string, query: object) =>
  at.cast.U1.get<unknown[][]>('halo/contact', 'investigate', { provider, ...query });
const askFor = (provider: string, query: object, person: object) =>
  at.cast.U1.put<unknown[][]>('halo/contact', 'investigate', { provider, ...query }, person);

describe('what is known of a person', () => {
  it('PO-07 FI-99 is told by providers that the user may ask', async () => {
    expect((await at.cast.U1.get('halo/contact', 'services')).data).toEqual([CONTACTS, APPOINTMENTS, MAIL]);
    expect((await ask('nothing', { columns: '1' })).code).toBe('HALO-0001');
    expect((await ask(CONTACTS, {})).code).toBe('SVL-0002');
    const unnamed = { columns: '500', email1: 'carl@x.example' };
    expect((await at.cast.U1.get('halo/contact', 'investigate', unnamed)).code).toBe('SVL-0002');
    expect((await ask(APPOINTMENTS, { columns: '200', email1: 'carl@x.example' })).code).toBe('SVL-0002');
  });

  it('FI-96 is told by nobody about appointments of a user without calendar', async () => {
    const { admin, contextId } = at.cast;
    const user = await createTestUser(at.world, admin, contextId, 'nocalendar');
    const path = `/admin/v1/contexts/${contextId}/users/${user.userId}`;
    await admin.expect('PATCH', path, { capabilities: { remove: ['calendar'] } });
    expect((await user.get('halo/contact', 'services')).data).toEqual([CONTACTS, MAIL]);
  });

  it('FI-97 FI-100 are contacts with an address', async () => {
    const query = { columns: '500,556' };
    expect((await ask(CONTACTS, { ...query, email1: 'CARL@x.example' })).data).toEqual([['Carl', 'carl@x.example']]);
    const both = { email1: 'dora@x.example', email3: 'carl@x.example' };
    expect((await askFor(CONTACTS, query, both)).data!.map(([name]) => name).sort()).toEqual(['Carl', 'Dora']);
    expect((await askFor(CONTACTS, { ...query, limit: 1 }, both)).data).toHaveLength(1);
    const known = (await ask(CONTACTS, { columns: '524', internal_userid: at.cast.U2.userId })).data!.flat();
    expect(known.sort()).toEqual([at.cast.U2.userId, null]);
    const named = { columns: '20', email1: at.cast.U2.email };
    expect((await ask(CONTACTS, named)).data!.map(([folder]) => String(folder)).sort()).toEqual(
      ['6', ownFolder].sort(),
    );
    expect((await ask(CONTACTS, { ...query, email1: 'nobody@x.example' })).data).toEqual([]);
    expect((await ask(CONTACTS, query)).data).toEqual([]);
  });

  it('FI-98 are appointments in common', async () => {
    const query = { columns: '200', ...range, timezone: 'UTC' };
    expect((await ask(APPOINTMENTS, { ...query, email1: 'Carl@x.example' })).data).toEqual([['with Carl']]);
    expect((await ask(APPOINTMENTS, { ...query, internal_userid: at.cast.U2.userId })).data).toEqual([['with Bob']]);
    expect((await askFor(APPOINTMENTS, query, { user_id: at.cast.U2.userId })).data).toEqual([['with Bob']]);
    expect((await ask(APPOINTMENTS, { ...query, email1: 'dora@x.example' })).data).toEqual([]);
  });

  it('are mails from and to the person, the last one first', async () => {
    const query = { columns: '607,401' };
    const subjects = async (more: object) => (await ask(MAIL, { columns: '607', ...more })).data;
    expect(await subjects({ email1: 'carl@x.example' })).toEqual([['to Carl'], ['from Carl']]);
    expect(await subjects({ email1: 'carl@x.example', email2: 'dora@x.example' })).toEqual([
      ['to Carl'],
      ['from Dora'],
      ['from Carl'],
    ]);
    expect(await subjects({ email1: 'carl@x.example', limit: 1 })).toEqual([['to Carl']]);
    expect(await subjects({ email1: 'carl@x.example', sort: '610', order: 'asc' })).toEqual([
      ['from Carl'],
      ['to Carl'],
    ]);
    expect((await ask(MAIL, { ...query, email1: 'carl@x.example', sort: 'x', order: 'asc' })).code).toBe('MSG-0031');
    expect((await ask(MAIL, { ...query, email1: 'carl@x.example', sort: '610' })).code).toBe('MSG-0030');
    expect((await ask(MAIL, { ...query, email1: 'x"\r\nA1 LOGOUT' })).data).toEqual([]);
  });
});
