import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BreakableLink, until } from '@groupware/test-kit';
import { createFixtures, type Fixtures } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { createProcessWorld, type ProcessWorld } from '../processes';

const SENDS = Number(process.env.E2E_SENDS_WITH_KILLS ?? 30);
/** Mails on their way at the same time. */
const AT_ONCE = 6;
/** One of the two is killed whenever so many further mails arrived. */
const KILL_AFTER = Math.max(8, Math.min(25, SENDS / 8));
/** So long the server for mails thinks about each of them: kills find some under way. */
const THINKING_MS = 40;
const DOWN_MS = 200;

let outside: Outside;
let link: BreakableLink;
let world: ProcessWorld;
let cast: Fixtures;
/** How often each mail was taken, by subject. */
const taken = new Map<string, number>();
const countTaken = () => [...taken.values()].reduce((sum, count) => sum + count, 0);

beforeAll(async () => {
  outside = await startOutside(['ann']);
  const smtp = await outside.smtp({
    onData: (stream: NodeJS.ReadableStream, _session: unknown, done: () => void) => {
      let text = '';
      stream.on('data', (chunk) => (text += String(chunk)));
      stream.on('end', () => {
        const [, subject] = /^Subject: (.*)\r$/m.exec(text)!;
        taken.set(subject!, (taken.get(subject!) ?? 0) + 1);
        setTimeout(done, THINKING_MS);
      });
    },
  });
  link = await BreakableLink.openTo(`tcp://127.0.0.1:${smtp}`);
  const port = Number(new URL(link.url('tcp://127.0.0.1:1')).port);
  const { imaps } = outside.dovecot;
  world = await createProcessWorld(
    ['identity,folders,calendar,mail-account', 'mail'],
    {
      ...outside.variables,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: `imaps://mail.test:${imaps},smtp://mail.test:${port}`,
      MAIL_COMPOSE_BUSY_MS: '3000',
    },
    async (variables) => {
      variables.GROUPWARE_PROPERTIES_FILE = path.join(variables.DATA_DIR!, 'server.properties');
      const properties = ['com.example.mail.passwordSource=global', 'com.example.mail.compose.maxSpacesPerUser=0'];
      writeFileSync(variables.GROUPWARE_PROPERTIES_FILE, properties.join('\n'));
    },
  );
  cast = await createFixtures(world);
  await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${cast.U1.userId}/mail-account`, {
    imap: { host: 'mail.test', port: imaps, secure: true, login: 'ann' },
    smtp: { host: 'mail.test', port, secure: false, starttls: true },
  });
}, 120_000);
afterAll(async () => {
  await world?.close();
  await link?.close();
  await outside?.close();
}, 60_000);

interface Answer {
  readonly data?: { readonly id?: string };
  readonly code?: string;
}

/** Asks until there is an answer: the service or the gateway's way to it may be down. */
async function ask(method: string, address: string, body: FormData | string | undefined): Promise<Answer> {
  for (;;) {
    try {
      const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : undefined;
      const { session } = cast.U1;
      const answer = await cast.U1.fetch(method, `/mail/compose${address}`, { session }, { body, headers });
      return (await answer.json()) as Answer;
    } catch {
      await wait(20); // its fate is unknown
    }
  }
}

/** Sends one mail as a client does: again while that cannot make two of it. Answers what the client was told in the end. */
async function sendMail(subject: string): Promise<'sent' | 'unknown'> {
  let id: string | undefined;
  while (id === undefined) {
    id = (await ask('POST', '', undefined)).data?.id;
    if (id === undefined) await wait(20); // the service is down
  }
  const form = new FormData();
  form.append('JSON', JSON.stringify({ to: [[null, 'bob@x.example']], subject, content: subject }));
  for (;;) {
    const { code } = await ask('POST', `/${id}/send`, form);
    // A space that is gone was sent: the answer to that was lost.
    if (code === undefined || code === 'MSGCS-0007' || code === 'MSG-0043') return 'sent';
    if (code === 'MSG-9001') return 'unknown';
    await wait(50);
  }
}

it(
  'sends each mail once or says that nobody knows, whichever of service and server is killed',
  async () => {
    const outcomes = new Map<string, string>();
    const [, mail] = world.processes;
    let next = 0;
    const clients = Array.from({ length: AT_ONCE }, async () => {
      while (next < SENDS) {
        const subject = `mail ${(next += 1)}`;
        outcomes.set(subject, await sendMail(subject));
      }
    });
    const isDone = () => outcomes.size >= SENDS;
    let kills = 0;
    const killer = async () => {
      for (; !isDone(); kills += 1) {
        const before = countTaken();
        await until(() => isDone() || countTaken() >= before + KILL_AFTER, 60_000);
        if (isDone()) break;
        if (kills % 2 === 1) await link.break(DOWN_MS);
        else {
          await mail!.kill();
          await mail!.start();
        }
      }
    };
    await Promise.all([...clients, killer()]);

    expect(kills).toBeGreaterThanOrEqual(2);
    expect([...taken].filter(([, times]) => times > 1)).toEqual([]);
    const sent = [...outcomes].flatMap(([subject, outcome]) => (outcome === 'sent' ? [subject] : []));
    expect(sent.filter((subject) => taken.get(subject) !== 1)).toEqual([]);
    // Unknown is only the fate of mails that were under way when something was killed.
    expect(outcomes.size - sent.length).toBeLessThanOrEqual(kills * AT_ONCE);
    expect(sent.length).toBeGreaterThan(SENDS / 4);
  },
  120_000 + SENDS * 1_000,
);
