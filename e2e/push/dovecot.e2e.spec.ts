import { connect } from 'node:net';
import { startDovecot, testAuthority, until, type Dovecot } from '@groupware/test-kit';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../browser';
import { createFixtures, PASSWORD, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
let dovecot: Dovecot;
let browser: Browser;
/** The mail server knows users by the names that it tells us. */
let login: string;

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: { GROUPWARE_REST_LOGIN: 'dovecot', GROUPWARE_REST_PASSWORD: 'dovecot-1' },
  });
  cast = await createFixtures(world);
  login = `${cast.U1.userId}@${cast.contextId}`;
  const { host } = new URL(world.internalUrl);
  dovecot = await startDovecot({
    certificate: testAuthority().issue(['mail.test']),
    users: { [login]: 'secret' },
    notifyUrl: `http://dovecot:dovecot-1@${host}/preliminary/http-notify/v1/notify`,
  });
  browser = await launchBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await dovecot?.stop();
  await world?.close();
});

/** The user asks the mail server to tell us of new mails (RFC 5464). */
const askForNotifications = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const key = '/private/vendor/vendor.dovecot/http-notify';
    const socket = connect(dovecot.imap, '127.0.0.1', () =>
      socket.write(`a LOGIN "${login}" "secret"\r\nb SETMETADATA "" (${key} "user=${login}")\r\nc LOGOUT\r\n`),
    );
    let said = '';
    socket.on('data', (data) => (said += String(data)));
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
  });

it("a mail that Dovecot delivers arrives at a browser's event stream", async () => {
  expect(await askForNotifications()).toContain('\nb OK');
  const page = await browser.newPage();
  await page.goto(`${world.publicUrl}/docs`);
  await page.evaluate(
    async ({ name, password }) => {
      const form = new URLSearchParams({ name, password });
      const response = await fetch('/login?action=login', { method: 'POST', body: form });
      const answer = (await response.json()) as { session: string };
      const events: unknown[] = [];
      Object.assign(globalThis, { events });
      const source = new EventSource(`/pns?action=events&session=${answer.session}`);
      source.addEventListener('ox:mail:new', (event) =>
        events.push({ id: (event as MessageEvent).lastEventId, data: JSON.parse((event as MessageEvent).data) }),
      );
      await new Promise((resolve) => source.addEventListener('hello', resolve));
    },
    { name: cast.U1.loginName, password: PASSWORD },
  );
  const arrived = () => page.evaluate(() => (globalThis as unknown as { events: any[] }).events);
  await dovecot.deliver(
    login,
    'From: =?utf-8?q?J=C3=B6rg?= <joerg@example.org>\r\nTo: u1@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\nHello from afar\r\n',
  );
  await until(async () => (await arrived()).length > 0, 15_000).catch(() => {
    throw new Error(`nothing arrived: ${dovecot.log()}`);
  });
  expect(await arrived()).toEqual([
    {
      id: expect.stringMatching(/./),
      data: {
        folder: 'default0/INBOX',
        id: '1',
        email: 'joerg@example.org',
        displayname: 'Jörg',
        subject: 'Grüße',
        unread: 1,
        teaser: 'Hello from afar',
      },
    },
  ]);
}, 60_000);
