import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser';
import { created } from '../calendar/calendar';
import { createFixtures, PASSWORD, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

// A client that the gateway serves boots in a browser: what browsers add to calls (cookies, origins, the policy) is there.
let world: TestEnvironment;
let cast: Fixtures;
let browser: Browser;
let page: Page;
/** Errors of the page, refused statuses, and requests that leave the server. */
const problems: string[] = [];

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: { BASE_PATH: '/,/appsuite/api', GROUPWARE_CLIENT_DIR: path.join(__dirname, 'browser-client') },
  });
  cast = await createFixtures(world);
  const hour = 3_600_000;
  const start = Math.floor(Date.now() / hour) * hour;
  await created(cast.U1, { start_date: start, end_date: start + hour, title: 'Rehearsal' }, { timezone: 'UTC' });
  const { data } = await cast.U1.put('jslob', 'list', {}, ['io.ox/core']);
  await cast.U1.put('contacts', 'new', {}, { folder_id: data[0].tree.folder.contacts, display_name: 'Ada' });
  browser = await launchBrowser();
  page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (![world.publicUrl, 'data:'].some((start) => url.startsWith(start))) problems.push(`asks ${url}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`);
  });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const texts = (id: string): Promise<string[]> => page.locator(`#${id} li`).allTextContents();

async function logIn(password: string): Promise<void> {
  await page.fill('input[name=name]', cast.U1.loginName);
  await page.fill('input[name=password]', password);
  await page.click('#form button');
}

describe('a client in a browser', () => {
  it('finds no session, shows its form in the languages of the server, and hears of a wrong password', async () => {
    await page.goto(`${world.publicUrl}/appsuite/`);
    await page.waitForSelector('#form:not([hidden])');
    expect(await page.locator('option').count()).toBeGreaterThan(1);
    await logIn('wrong');
    await page.waitForSelector('#refusal:has-text("LGI-")');
    problems.length = 0;
  });

  it('logs in, and shows folders, the month and contacts', async () => {
    await logIn(PASSWORD);
    await page.waitForSelector('#desktop:not([hidden])').catch(() => problems.push('no desktop'));
    expect(problems).toEqual([]);
    expect(await page.textContent('h1')).toContain('u1');
    expect(await texts('folders')).toEqual([
      `cal://0/${cast.U1.folder} Calendar`,
      expect.stringMatching(/^cal:\/\/\d+\/0 Birthdays$/),
      expect.stringMatching(/ Contacts$/),
      '6 Global address book',
    ]);
    expect(await texts('month')).toEqual(['Rehearsal']);
    expect(await texts('contacts')).toEqual(['Ada']);
    expect(await page.textContent('#failures')).toBe('');
    expect(problems).toEqual([]);
  });

  it('keeps its settings, and logs out for good', async () => {
    const { data } = await cast.U1.put('jslob', 'list', {}, ['io.ox/core']);
    expect(data[0].tree.theme).toBe('dark');
    await page.click('#logout');
    await page.waitForSelector('#form:not([hidden])');
    expect(problems).toEqual([]);
    await page.reload();
    await page.waitForSelector('#form:not([hidden])');
  });
});
