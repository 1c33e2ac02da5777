import { randomUUID } from 'node:crypto';
import {
  contactFolders,
  contacts,
  COLLECT_ON_SENDING,
  mailboxEvents,
  type AddedPerson,
  type UserPrincipal,
} from '@groupware/contracts';
import { Bus, EventBus } from '@groupware/messaging';
import { propertyValues, until } from '@groupware/test-kit';
import { person, runContacts, type RunningContacts } from '../testing/running-contacts';

const MAX_CONTACTS = 'com.example.quota.contact';
let running: RunningContacts;
let bus: Bus;
let events: EventBus;
beforeAll(async () => {
  running = await runContacts();
  bus = await Bus.connect({ url: running.environment.NATS_URL!, prefix: running.name });
  events = new EventBus(bus);
  await events.open();
}, 60_000);
afterAll(async () => {
  await events?.close();
  await bus?.close();
  await running?.close();
}, 60_000);
afterEach(() => {
  for (const key of Object.keys(propertyValues)) delete propertyValues[key];
});

/** Tells that a user sent a mail, and waits until it is handled. */
async function deliverSent(user: UserPrincipal, recipients: AddedPerson[], id = randomUUID()): Promise<void> {
  const count = async () => {
    const rows = await running.sql('select 1 from consumed_event where message_id = $1', [id]);
    return rows.length;
  };
  const payload = { userId: user.userId, recipients };
  const message = { name: mailboxEvents.sent.name, contextId: user.contextId, occurredAt: Date.now(), payload };
  await events.publish({ ...message, id });
  await until(async () => (await count()) > 0);
}

const collected = async (user: UserPrincipal): Promise<any[]> =>
  running.sql(
    `select a.email1, a.display_name, f.title, coalesce(u.uses, 0) as uses from contact a
     join folder f on f.context_id = a.context_id and f.id = a.folder_id
     join collecting_folder c on c.context_id = f.context_id and c.folder_id = f.id
     left join contact_use u on u.context_id = a.context_id and u.contact_id = a.id and u.user_id = c.user_id
     where c.context_id = $1 and c.user_id = $2 order by a.email1`,
    [user.contextId, user.userId],
  );
const usesOf = async (user: UserPrincipal, id: string | number): Promise<number> => {
  const rows = await running.sql<{ uses: number }>(
    'select uses from contact_use where context_id = $1 and user_id = $2 and contact_id = $3',
    [user.contextId, user.userId, Number(id)],
  );
  return rows[0]?.uses ?? 0;
};
const prepareFolder = (user: UserPrincipal): Promise<number> =>
  running.call(contactFolders.prepare, {
    principal: { kind: 'internal', service: 'identity', contextId: user.contextId },
    query: { user: user.userId, locale: user.locale },
  });
const add = async (user: UserPrincipal, folder: number, body: object): Promise<string> =>
  (
    await running.call(contacts.new, {
      principal: user,
      query: {},
      body: { folder_id: String(folder), last_name: 'L', ...body },
    })
  ).id;

describe('addresses to which mails were sent', () => {
  it('CO-84 are collected in a folder of their own once, with their use', async () => {
    const ann = person(840, { contextId: 84, locale: 'de_DE' });
    const eve = { address: 'Eve@x.example', name: 'Eve' };
    await deliverSent(ann, [eve, { address: 'bob@x.example' }, { address: 'nobody' }]);
    await deliverSent(ann, [{ address: 'eve@X.example' }]);
    const title = 'Gesammelte Adressen';
    expect(await collected(ann)).toEqual([
      { email1: 'Eve@x.example', display_name: 'Eve', title, uses: 2 },
      { email1: 'bob@x.example', display_name: 'bob@x.example', title, uses: 1 },
    ]);
  });

  it('count once for each mail, however often it is told', async () => {
    const ann = person(841, { contextId: 84 });
    const contact = await add(ann, await prepareFolder(ann), { email2: 'Two@x.example', email3: 'three@x.example' });
    const id = randomUUID();
    const both = [{ address: 'two@x.example' }, { address: 'three@x.example' }];
    await deliverSent(ann, both, id);
    await deliverSent(ann, both, id);
    expect(await usesOf(ann, contact)).toBe(1);
    await deliverSent(ann, both);
    expect(await usesOf(ann, contact)).toBe(2);
    expect(await collected(ann)).toEqual([]);
  });

  it('neither count nor know contacts that their sender may not read', async () => {
    const [ann, bob] = [person(842, { contextId: 84 }), person(843, { contextId: 84 })];
    const hidden = await add(bob, await prepareFolder(bob), { email1: 'hidden@x.example' });
    await deliverSent(ann, [{ address: 'hidden@x.example' }]);
    expect(await usesOf(ann, hidden)).toBe(0);
    expect(await collected(ann)).toMatchObject([{ email1: 'hidden@x.example', uses: 1 }]);
  });

  it('are not collected where they belong to users, or where that is switched off', async () => {
    const [ann, bob] = [person(844, { contextId: 84 }), person(845, { contextId: 84 })];
    await deliverSent(ann, [{ address: bob.email.toUpperCase() }]);
    propertyValues[COLLECT_ON_SENDING.key] = 'false';
    const eve = person(846, { contextId: 84 });
    await deliverSent(eve, [{ address: 'new@x.example' }]);
    expect([await collected(ann), await collected(eve)]).toEqual([[], []]);
  });

  it('are collected as far as there is room', async () => {
    const ann = person(847, { contextId: 85 });
    propertyValues[MAX_CONTACTS] = '1';
    await deliverSent(ann, [{ address: 'a@x.example' }, { address: 'b@x.example' }]);
    expect(await collected(ann)).toMatchObject([{ email1: 'a@x.example' }]);
  });

  it('go into a new folder when theirs was deleted', async () => {
    const ann = person(848, { contextId: 84 });
    await deliverSent(ann, [{ address: 'a@x.example' }]);
    const [{ folder_id }] = await running.sql('select folder_id from collecting_folder where user_id = $1', [848]);
    await running.call(contactFolders.remove, {
      principal: { kind: 'internal', service: 'folders', contextId: 84, user: ann },
      query: { ids: [String(folder_id)] },
    });
    await deliverSent(ann, [{ address: 'b@x.example' }]);
    expect(await collected(ann)).toMatchObject([{ email1: 'b@x.example' }]);
  });
});
