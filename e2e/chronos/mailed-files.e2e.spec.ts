import { randomBytes } from 'node:crypto';
import { until } from '@groupware/test-kit';
import { Mailbox, type Mail, type Part } from '../admin/mailbox';
import { attachFiles } from '../attachments/attachments';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { created, dataOf, FORCE, get, JUNE_5, update, type Json } from './events';
import { upload } from './uploads';

let environment: TestEnvironment;
let cast: Fixtures;
let mailbox: Mailbox;
let count = 0;

beforeAll(async () => {
  mailbox = new Mailbox();
  const settings = await mailbox.startForProduct();
  environment = await startTestEnvironment({ variables: { ...settings, OUTGOING_MAIL_MAX_FILES_BYTES: '500000' } });
  cast = await createFixtures(environment);
}, 120_000);
afterAll(async () => {
  await environment?.close();
  await mailbox?.close();
});

const guest = (): string => `guest${(count += 1)}@outside.test`;
const partsOf = (part: Part): Part[] => [part, ...part.parts.flatMap(partsOf)];

/** A scheduling message with the files that its events name. */
interface Message {
  readonly method: string;
  readonly sequence: string;
  readonly stamp: string;
  /** For each VEVENT: parameters of ATTACH and bytes of the part. */
  readonly files: { readonly line: string; readonly bytes: Buffer | undefined }[][];
  /** Number of parts with files. */
  readonly parts: number;
}

function readMessage(mail: Mail): Message {
  const parts = partsOf(mail);
  const calendar = parts.find(({ headers }) => headers['content-type']?.startsWith('text/calendar'))!;
  const text = calendar.body.toString('utf8').replace(/\r\n[ \t]/g, '');
  const named = new Map(
    parts.flatMap((part) => (part.headers['content-id'] ? [[part.headers['content-id'], part]] : [])),
  );
  const files = text
    .split('BEGIN:VEVENT\r\n')
    .slice(1)
    .map((event) =>
      [...event.matchAll(/^ATTACH(.*):cid:(.*)\r$/gm)].map(([, line, id]) => ({
        line: line!,
        bytes: named.get(`<${id}>`)?.body,
      })),
    );
  const valueOf = (name: string): string => new RegExp(`^${name}:(.*)\r$`, 'm').exec(text)![1]!;
  const [method, sequence, stamp] = [valueOf('METHOD'), valueOf('SEQUENCE'), valueOf('DTSTAMP')];
  return { method, sequence, stamp, files, parts: named.size };
}

/** Messages to an address, once there are so many; more are an error. */
async function messagesTo(address: string, expected: number): Promise<Message[]> {
  const find = () => mailbox.mails.filter(({ to }) => to.includes(address));
  await until(() => Promise.resolve(find().length >= expected));
  const last = guest();
  await created(cast.U3, { attendees: [{ uri: `mailto:${last}` }] });
  await until(() => Promise.resolve(mailbox.mails.some(({ to }) => to.includes(last))));
  expect(find()).toHaveLength(expected);
  return find().map(readMessage);
}

const eventWith = (address: string, files: number, fields: Json = {}): Json => ({
  ...{ summary: 'Files', ...JUNE_5, attendees: [{ uri: `mailto:${address}` }], ...fields },
  attachments: Array.from({ length: files }, (_, index) => ({ uri: `cid:file_${index}`, filename: `${index} ü.txt` })),
});
const bytesOf = ({ files }: Message): (string | undefined)[][] =>
  files.map((each) => each.map(({ bytes }) => bytes?.toString('utf8')));

describe('files of events in invitations', () => {
  it('leave with the invitation, in one mail; what is added and removed is told with the same SEQUENCE', async () => {
    const address = guest();
    const large = randomBytes(150_000).toString('hex');
    const reply = await upload(cast.U1, 'new', eventWith(address, 2), { file_0: large, file_1: 'zwei' });
    const [event] = dataOf(reply).created;
    const [invitation] = await messagesTo(address, 1);
    expect(invitation).toMatchObject({ method: 'REQUEST', sequence: '0', parts: 2 });
    expect(bytesOf(invitation!)).toEqual([[large, 'zwei']]);
    expect(invitation!.files[0]!.map(({ line }) => line)).toEqual([
      ';FMTTYPE=text/plain;FILENAME=0 ü.txt;SIZE=300000',
      ';FMTTYPE=text/plain;FILENAME=1 ü.txt;SIZE=4',
    ]);
    const body = { event: { attachments: [event.attachments[1], { uri: 'cid:file_0', filename: 'c.txt' }] } };
    const query = { id: event.id, timestamp: FORCE };
    const [changed] = dataOf(await upload(cast.U1, 'update', body, { file_0: 'three' }, query)).updated;
    const [, added] = await messagesTo(address, 2);
    expect(added).toMatchObject({ method: 'REQUEST', sequence: '0' });
    expect(bytesOf(added!)).toEqual([['zwei', 'three']]);
    dataOf(await update(cast.U1, event.id, { attachments: [changed.attachments[1]] }));
    await messagesTo(address, 3);
    dataOf(await update(cast.U1, event.id, { summary: 'Other' }));
    await messagesTo(address, 4);
    dataOf(await update(cast.U1, event.id, { attachments: [] }));
    const [, , removed, renamed, none] = await messagesTo(address, 5);
    expect([removed, renamed, none].map((each) => bytesOf(each!))).toEqual([[['three']], [['three']], [[]]]);
    expect([removed, renamed, none].map((each) => each!.sequence)).toEqual(['0', '1', '1']);
    expect(none!.stamp > removed!.stamp && removed!.stamp > added!.stamp && added!.stamp > invitation!.stamp).toBe(
      true,
    );
  });

  it('tell users, too; nobody is told where the client wants that, nor of what is refused', async () => {
    const address = guest();
    const fields = eventWith(address, 1, { summary: 'Quiet files' });
    const attendees = [...fields.attendees, { entity: cast.U2.userId }];
    const none = { scheduling: 'none' };
    const [event] = dataOf(await upload(cast.U1, 'new', { ...fields, attendees }, { file_0: 'x' }, none)).created;
    dataOf(await update(cast.U1, event.id, { attachments: [] }, none));
    const bad = { ...eventWith(address, 1), attachments: [{ uri: 'cid:file_0', filename: 'n\n' }] };
    expect((await upload(cast.U1, 'new', bad, { file_0: 'x' })).code).toBe('ATT-0418');
    await messagesTo(address, 0);
    const change = { event: { summary: 'Loud files', attachments: [{ uri: 'cid:file_0', filename: 'n\n' }] } };
    const query = { id: event.id, timestamp: FORCE };
    expect((await upload(cast.U1, 'update', change, { file_0: 'x' }, query)).code).toBe('ATT-0418');
    expect(await get(cast.U1, event.id)).toMatchObject({ summary: 'Loud files' });
    const [told] = await messagesTo(address, 1);
    expect(bytesOf(told!)).toEqual([[]]);
    dataOf(await upload(cast.U1, 'update', { event: eventWith(address, 1, { attendees }) }, { file_0: 'x' }, query));
    const notices = () =>
      mailbox.mails.filter(
        (mail) => mail.to.includes(cast.U2.email) && /The attachments have been changed\./.test(textOf(mail)),
      );
    await until(() => Promise.resolve(notices().length > 0));
    expect(notices().map((mail) => partsOf(mail).length)).toEqual([3]);
  });

  it('of a series leave with its exceptions, and with both parts of one that is split', async () => {
    const address = guest();
    const series = eventWith(address, 2, { rrule: 'FREQ=DAILY;COUNT=6' });
    const [event] = dataOf(await upload(cast.U1, 'new', series, { file_0: 'one', file_1: 'two' })).created;
    dataOf(await update(cast.U1, event.id, { location: 'There' }, { recurrenceId: '20310608T080000Z' }));
    // Mails of one moment may come in any order.
    await messagesTo(address, 2);
    const once = { event: { attachments: [event.attachments[1]], location: 'Here' } };
    dataOf(await update(cast.U1, event.id, once.event, { recurrenceId: '20310609T080000Z' }));
    await messagesTo(address, 3);
    dataOf(await update(cast.U1, event.id, { summary: 'All' }));
    const [, second, third, whole] = await messagesTo(address, 4);
    expect(bytesOf(second!)).toEqual([['one', 'two']]);
    expect(bytesOf(third!)).toEqual([['two']]);
    expect([bytesOf(whole!), whole!.parts]).toEqual([[['one', 'two'], ['one', 'two'], ['two']], 2]);
    const other = guest();
    const [split] = dataOf(
      await upload(cast.U1, 'new', eventWith(other, 1, { rrule: 'FREQ=DAILY;COUNT=6' }), { file_0: 'one' }),
    ).created;
    const following = { recurrenceId: '20310607T080000Z', recurrenceRange: 'THISANDFUTURE' };
    dataOf(await update(cast.U1, split.id, { summary: 'Later' }, following));
    const [, ...parts] = await messagesTo(other, 3);
    expect(parts.map(bytesOf)).toEqual([[['one']], [['one']]]);
  });

  it('that an event gets of another one leave with it', async () => {
    const [first, second] = [guest(), guest()];
    const [event] = dataOf(await upload(cast.U1, 'new', eventWith(first, 1), { file_0: 'copied' })).created;
    await created(cast.U1, { attachments: event.attachments, attendees: [{ uri: `mailto:${second}` }] });
    const [copy] = await messagesTo(second, 1);
    expect(bytesOf(copy!)).toEqual([['copied']]);
  });

  it('leave when they are attached and detached by attachment, too', async () => {
    const address = guest();
    const event = await created(cast.U1, { attendees: [{ uri: `mailto:${address}` }] });
    const target = { attached: Number(event.id), folder: Number(cast.U1.folder), module: 1 };
    const ids = await attachFiles(cast.U1, target, [
      { name: 'a.txt', content: 'eins' },
      { name: 'b.txt', content: 'zwei' },
    ]);
    const [, attached] = await messagesTo(address, 2);
    expect([bytesOf(attached!), attached!.sequence]).toEqual([[['eins', 'zwei']], '0']);
    expect((await cast.U1.put('attachment', 'detach', target, [ids[0]])).code).toBeUndefined();
    const [, , detached] = await messagesTo(address, 3);
    expect([bytesOf(detached!), detached!.sequence]).toEqual([[['zwei']], '0']);
  });

  it('that are too large stay behind, and are not named', async () => {
    const address = guest();
    const files = { file_0: 'x'.repeat(400_000), file_1: 'y'.repeat(400_000), file_2: 'small' };
    dataOf(await upload(cast.U1, 'new', eventWith(address, 3), files));
    const [invitation] = await messagesTo(address, 1);
    expect(bytesOf(invitation!)).toEqual([[files.file_0, 'small']]);
    expect(invitation!.parts).toBe(2);
  });
});

const textOf = (mail: Mail): string =>
  partsOf(mail)
    .find(({ headers }) => headers['content-type']?.startsWith('text/plain'))!
    .body.toString('utf8');
