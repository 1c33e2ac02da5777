import { setTimeout as wait } from 'node:timers/promises';
import { BreakableLink, until } from '@groupware/test-kit';
import { ImapFlow } from 'imapflow';
import { createFixtures, type Fixtures } from '../fixtures';
import { storeMails } from '../mail/mailbox';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { createProcessWorld, type ProcessWorld } from '../processes';

const MOVES = Number(process.env.E2E_MOVES_WITH_KILLS ?? 36);
/** Mails on their way at the same time. */
const AT_ONCE = 4;
/** Something is broken whenever so many further calls ended. */
const BREAK_AFTER = Math.max(8, MOVES / 3);
const DOWN_MS = 200;
/** Large enough that cuts of a connection find some half sent. */
const TEXT_BYTES = 20_000;
/** Errors after which a call may have been done all the same. */
const MAY_BE_DONE = new Set(['MSG-1014', 'MSG-1034', 'MSG-9002', 'SVL-0035']);

let outside: Outside;
let link: BreakableLink;
let world: ProcessWorld;
let cast: Fixtures;
/** The two mailboxes by a way that nothing breaks. */
let ann: ImapFlow;
let bob: ImapFlow;
/** Folder of the account that mails are moved to. */
let target: string;

beforeAll(async () => {
  outside = await startOutside(['ann', 'bob']);
  const { imap, imaps } = outside.dovecot;
  link = await BreakableLink.openTo(`tcp://127.0.0.1:${imaps}`);
  const port = Number(new URL(link.url('tcp://127.0.0.1:1')).port);
  world = await createProcessWorld(['identity,folders,calendar,mail-account', 'mail'], outside.variables);
  cast = await createFixtures(world);
  const addAccount = async (login: string) => {
    const account = {
      ...{ name: login, mail_url: `imaps://mail.test:${port}`, login, password: MAIL_PASSWORD },
      ...{ primary_address: `${login}@mail.test`, transport_url: 'smtp://mail.test:2525' },
    };
    const { data } = await cast.U1.put('account', 'new', {}, account);
    return data.id as number;
  };
  const open = async (user: string) => {
    const auth = { user, pass: MAIL_PASSWORD };
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: imap,
      secure: false,
      doSTARTTLS: false,
      auth,
      logger: false,
    });
    await client.connect();
    return client;
  };
  [ann, bob] = [await open('ann'), await open('bob')];
  await bob.mailboxCreate('In');
  source = `default${await addAccount('ann')}`;
  target = `default${await addAccount('bob')}/In`;
}, 120_000);
afterAll(async () => {
  for (const client of [ann, bob]) await client?.logout().catch(() => undefined);
  await world?.close();
  await link?.close();
  await outside?.close();
}, 60_000);

/** Root of the account that mails are moved from. */
let source: string;

/** Fate of a mail as the client was told: its id there, or that it may be there or not. */
type Outcome = { readonly id: string } | 'unknown';

interface Answer {
  readonly code?: string;
  readonly id?: string;
}

/** Repeats a call until it was done, or may have been done. */
async function persist(act: () => Promise<Answer>): Promise<Outcome> {
  for (;;) {
    const { code, id } = await act();
    if (id !== undefined) return { id };
    if (code === undefined || MAY_BE_DONE.has(code)) return 'unknown';
    await wait(20); // the service or the way to the server is down
  }
}

const moveMail = (folder: string, id: string): Promise<Outcome> =>
  persist(async () => {
    const { code, data } = await cast.U1.put('mail', 'update', { folder, id }, { folder_id: target });
    return { code, id: data?.id };
  });

const importMail = (folder: string, subject: string): Promise<Outcome> =>
  persist(async () => {
    const form = new FormData();
    const lines = ['From: ann@mail.test', `Subject: ${subject}`, '', 'x'.repeat(TEXT_BYTES)];
    form.append('file', new Blob([lines.join('\r\n')], { type: 'message/rfc822' }), 'mail.eml');
    const asJson = { force_json_response: true, plainJson: true };
    const parameters = { action: 'import', folder, force: true, session: cast.U1.session, ...asJson };
    const answer: any = await (await cast.U1.fetch('POST', '/mail', parameters, { body: form })).json();
    return { code: answer.code ?? answer.data?.[0]?.code, id: answer.data?.[0]?.id };
  });

/** Ids of the mails of a folder by their subjects, as another client sees them. */
async function idsBySubject(client: ImapFlow, folder: string): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  const { exists } = await client.mailboxOpen(folder);
  if (exists === 0) return ids;
  for await (const { uid, envelope, size } of client.fetch('1:*', { uid: true, envelope: true, size: true })) {
    expect(size).toBeGreaterThan(TEXT_BYTES);
    ids.set(envelope!.subject!, [...(ids.get(envelope!.subject!) ?? []), String(uid)]);
  }
  await client.mailboxClose();
  return ids;
}

const namesOf = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix} ${at}`);
const store = (folder: string, subjects: readonly string[]) =>
  storeMails(
    ann,
    folder,
    subjects.map((subject) => ({ subject, text: 'x'.repeat(TEXT_BYTES) })),
  );

it(
  'moves between accounts and imports every mail once or says that nobody knows, whatever is killed or cut',
  async () => {
    const moved = namesOf('moved', MOVES);
    const ids = await store('Out', moved);
    await store('Imported', []);
    const imported = namesOf('imported', Math.ceil(MOVES / 2));
    const outcomes = new Map<string, Outcome>();
    const work = [
      ...moved.map((subject, at) => [subject, () => moveMail(`${source}/Out`, ids[at]!)] as const),
      ...imported.map((subject) => [subject, () => importMail(`${source}/Imported`, subject)] as const),
    ].sort(([one], [other]) => Number(one.split(' ')[1]) - Number(other.split(' ')[1]));
    const total = work.length;
    const clients = Array.from({ length: AT_ONCE }, async () => {
      for (let next = work.shift(); next; next = work.shift()) outcomes.set(next[0], await next[1]());
    });
    const isDone = () => outcomes.size >= total;
    const [, mail] = world.processes;
    const faults = [
      async () => {
        await mail!.kill();
        await mail!.start();
      },
      () => link.break(DOWN_MS),
      // In the middle of mails.
      async () => link.cutAfter(TEXT_BYTES * 2.5),
    ];
    let breaks = 0;
    const breakAll = async () => {
      for (; !isDone(); breaks += 1) {
        const before = outcomes.size;
        await until(() => isDone() || outcomes.size >= before + BREAK_AFTER, 60_000);
        if (!isDone()) await faults[breaks % faults.length]!();
      }
    };
    await Promise.all([...clients, breakAll()]);

    const [out, into, kept] = [
      await idsBySubject(ann, 'Out'),
      await idsBySubject(bob, 'In'),
      await idsBySubject(ann, 'Imported'),
    ];
    const stateOf = (subject: string) => ({
      told: outcomes.get(subject),
      there: [...(into.get(subject) ?? []), ...(kept.get(subject) ?? [])],
      here: out.get(subject)?.length ?? 0,
    });
    const states = [...moved, ...imported].map((subject) => [subject, stateOf(subject)] as const);
    const isRight = (subject: string, { told, there, here }: ReturnType<typeof stateOf>) => {
      if (told !== 'unknown') return here === 0 && there.length === 1 && there[0] === told?.id;
      return there.length <= 1 && (subject.startsWith('imported') || there.length + here >= 1);
    };
    expect(states.filter(([subject, state]) => !isRight(subject, state))).toEqual([]);
    expect(breaks).toBeGreaterThanOrEqual(faults.length);
    const unknown = states.filter(([, { told }]) => told === 'unknown').length;
    // Unknown is only the fate of mails that were under way when something broke.
    expect(unknown).toBeLessThanOrEqual(breaks * AT_ONCE);
    expect(total - unknown).toBeGreaterThan(total / 3);
  },
  120_000 + MOVES * 1_000,
);

it(
  'moves all mails of a folder into another account, however often that is cut: none is lost, one is doubled at most each time',
  async () => {
    const subjects = namesOf('bulk', Math.ceil(MOVES / 3));
    await store('Bulk', subjects);
    let tries = 0;
    for (;;) {
      if (tries < 3) link.cutAfter(TEXT_BYTES * 4.5);
      const { code, error_params: parameters } = await cast.U1.put(
        'mail',
        'update',
        { folder: `${source}/Bulk` },
        { folder_id: target },
      );
      const [here, into] = [await idsBySubject(ann, 'Bulk'), await idsBySubject(bob, 'In')];
      const there = subjects.flatMap((subject) => into.get(subject) ?? []);
      expect(subjects.filter((subject) => !here.has(subject) && !into.has(subject))).toEqual([]);
      tries += 1;
      if (code === undefined) {
        expect(here.size).toBe(0);
        expect(there.length).toBeLessThan(subjects.length + tries);
        break;
      }
      expect(['MSG-9002', 'MSG-1014', 'MSG-1016']).toContain(code);
      if (code === 'MSG-9002') expect(Number(parameters![1]) - Number(parameters![0])).toBe(here.size);
    }
    expect(tries).toBeGreaterThanOrEqual(3);
  },
  60_000 + MOVES * 1_000,
);
