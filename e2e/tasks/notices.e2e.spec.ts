import { until } from '@groupware/test-kit';
import { Mailbox, type Mail, type Part } from '../admin/mailbox';
import type { TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { change, create, createTaskFixtures, dataOf, DAY, remove, type TaskFixtures } from './tasks';

let environment: TestEnvironment;
let cast: TaskFixtures;
let mailbox: Mailbox;
let count = 0;

beforeAll(async () => {
  mailbox = new Mailbox();
  const settings = await mailbox.startForProduct();
  environment = await startTestEnvironment({ variables: { ...settings, OUTGOING_MAIL_PER_MINUTE: '10000' } });
  cast = await createTaskFixtures(environment);
}, 120_000);
afterAll(async () => {
  await environment?.close();
  await mailbox?.close();
});

const someone = (): string => `someone${(count += 1)}@outside.test`;
const user = ({ userId }: TestUser): object => ({ type: 1, id: userId });
const external = (mail: string): object => ({ type: 5, mail, display_name: 'Some One' });
const partsOf = (part: Part): Part[] => [part, ...part.parts.flatMap(partsOf)];
const textOf = (mail: Mail): string =>
  partsOf(mail)
    .find(({ headers }) => headers['content-type']?.startsWith('text/plain'))!
    .body.toString('utf8')
    .replace(/\r\n/g, '\n');

/** Mails about a task to an address, once there are so many and everything caused before has come; more are an error. */
async function mailsTo(address: string, title: string, expected: number): Promise<Mail[]> {
  const find = () =>
    mailbox.mails.filter(({ to, headers }) => to.includes(address) && headers.subject?.includes(title));
  await until(() => Promise.resolve(find().length >= expected), 20_000);
  const last = someone();
  await create(cast.U3, cast.H3, { title: 'last', participants: [external(last)] });
  await until(() => Promise.resolve(mailbox.mails.some(({ to }) => to.includes(last))), 20_000);
  expect(find().map(({ headers }) => headers.subject)).toHaveLength(expected);
  return find();
}

/** A setting of a user. */
async function set(of: TestUser, name: string, value: boolean): Promise<void> {
  const path = `/config/modules/tasks/${name}`;
  const answer = await of.fetch('PUT', path, { session: of.session }, { body: String(value) });
  expect(await answer.json()).not.toHaveProperty('error');
}

const nameOf = async (of: TestUser): Promise<string> =>
  (await cast.U1.get<any>('user', 'get', { id: of.userId })).data.display_name;

/** The mail that begins so. */
const only = (mails: readonly Mail[], text: string): Mail => {
  const found = mails.filter((mail) => textOf(mail).startsWith(text));
  expect(found).toHaveLength(1);
  return found[0]!;
};

describe('mails about tasks', () => {
  it('tell participants of a task, of what is different, and of its end; nobody of what he did himself', async () => {
    const title = 'Told';
    const { id } = await create(cast.U1, cast.T1, {
      title,
      note: 'Bring the keys',
      end_date: Date.UTC(2031, 5, 5),
      participants: [user(cast.U1), user(cast.U2)],
    });
    await change(cast.U1, cast.T1, id, { end_date: Date.UTC(2031, 5, 5) + DAY, status: 2, percent_completed: 25 });
    // Neither is of interest to others.
    await change(cast.U1, cast.T1, id, { alarm: Date.UTC(2031, 5, 1) });
    await change(cast.U1, cast.T1, id, { color_label: 3 });
    await remove(cast.U1, cast.T1, [id]);
    const mails = await mailsTo(cast.U2.email, title, 3);
    const given = only(mails, `${await nameOf(cast.U1)} asks you to take part in the task “Told”.`);
    expect(given.headers['reply-to']).toContain(cast.U1.email);
    expect(textOf(given)).toContain('Due: Thursday, June 5, 2031\n');
    expect(textOf(given)).toContain('Bring the keys');
    const changed = only(mails, `${await nameOf(cast.U1)} has changed the task “Told”.`);
    expect(textOf(changed)).toContain(
      'The task is now due Friday, June 6, 2031.\nThe task is now in progress. Progress: 25 %',
    );
    only(mails, `${await nameOf(cast.U1)} has deleted the task “Told” or no longer asks you to take part in it.`);
    await mailsTo(cast.U1.email, title, 0);
  });

  it('tell who is added and who is taken out; people elsewhere, too', async () => {
    const title = 'Moved on';
    const [first, second] = [someone(), someone()];
    const { id } = await create(cast.U1, cast.T1, { title, participants: [user(cast.U2), external(first)] });
    await change(cast.U1, cast.T1, id, { participants: [user(cast.U3), external(second)] });
    for (const address of [cast.U2.email, first]) {
      const mails = await mailsTo(address, title, 2);
      expect(mails.map(({ headers }) => headers.subject).sort()).toEqual([`Task ended: ${title}`, `Task: ${title}`]);
    }
    for (const address of [cast.U3.email, second]) await mailsTo(address, title, 1);
  });

  it('are not sent with notification=false, nor to users who do not wish them', async () => {
    const address = someone();
    await create(cast.U1, cast.T1, {
      ...{ title: 'Silent', notification: false, participants: [user(cast.U2), external(address)] },
    });
    await mailsTo(cast.U2.email, 'Silent', 0);
    await mailsTo(address, 'Silent', 0);
    await set(cast.U2, 'notifyNewModifiedDeleted', false);
    await create(cast.U1, cast.T1, { title: 'Unwished', participants: [user(cast.U2), user(cast.U3)] });
    await mailsTo(cast.U3.email, 'Unwished', 1);
    await mailsTo(cast.U2.email, 'Unwished', 0);
    await set(cast.U2, 'notifyNewModifiedDeleted', true);
  });

  it('tell the creator of answers with their messages, other participants as they wish', async () => {
    const title = 'Answered';
    await set(cast.U3, 'notifyAcceptedDeclinedAsParticipant', true);
    const { id } = await create(cast.U1, cast.T1, { title, participants: [user(cast.U2), user(cast.U3)] });
    const confirm = (confirmation: number, confirmmessage: string) =>
      cast.U2.put('tasks', 'confirm', { id, folder: cast.H2, timestamp: 0 }, { confirmation, confirmmessage });
    await confirm(2, 'no time');
    await confirm(2, 'no time');
    const [told] = await mailsTo(cast.U1.email, title, 1);
    expect(told!.headers.subject).toBe('Task declined: Answered');
    expect(textOf(told!)).toContain('> no time');
    expect((await mailsTo(cast.U3.email, title, 2)).map(({ headers }) => headers.subject)).toContain(
      'Task declined: Answered',
    );
    await mailsTo(cast.U2.email, title, 1);
  });

  it('tell that a series goes on with its next task', async () => {
    const title = 'Weekly';
    const { id } = await create(cast.U1, cast.T1, {
      ...{ title, participants: [user(cast.U2)], recurrence_type: 2, interval: 1, days: 16 },
      ...{ start_date: Date.UTC(2031, 5, 5), end_date: Date.UTC(2031, 5, 5) },
    });
    await change(cast.U1, cast.T1, id, { status: 3 });
    const mails = await mailsTo(cast.U2.email, title, 2);
    expect(textOf(only(mails, `${await nameOf(cast.U1)} has changed`))).toContain('The task is now done.');
    expect((await dataOf(cast.U1, cast.T1, id)).status).toBe(3);
  });
});
