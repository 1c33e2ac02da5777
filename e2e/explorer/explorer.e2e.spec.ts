import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openApiDocument } from '@groupware/contracts';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

/** The page takes seconds of CPU time for hundreds of operations: a busy machine has them later, ms. */
const WAIT_MS = 90_000;

describe('explorer page in a browser', () => {
  let world: TestEnvironment;
  let browser: Browser;
  let page: Page;
  let user: { login: string; password: string };
  /** Errors of the page, and requests that leave this server. */
  const problems: string[] = [];

  beforeAll(async () => {
    world = await startTestEnvironment({ modules: ['identity', 'gateway'], variables: { GROUPWARE_DEMO: 'true' } });
    const demo = JSON.parse(readFileSync(path.join(world.environment.DATA_DIR!, 'demo.json'), 'utf8')) as {
      users: { login: string; password: string }[];
    };
    user = demo.users[0]!;
    browser = await launchBrowser();
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  beforeEach(async () => {
    problems.length = 0;
    page = await browser.newPage();
    page.setDefaultTimeout(WAIT_MS);
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (![world.publicUrl, world.internalUrl, 'data:', 'blob:'].some((start) => url.startsWith(start)))
        problems.push(`asks ${url}`);
    });
  });
  afterEach(() => page.close());

  async function logIn(password: string): Promise<string> {
    await page.goto(`${world.publicUrl}/docs`);
    await page.waitForSelector('.opblock-tag');
    await page.fill('input[name=name]', user.login);
    await page.fill('input[name=password]', password);
    await page.click('#login button[type=submit]');
    await page.waitForSelector('#state:not(:text("not logged in")):not(:text("logging in"))');
    return (await page.textContent('#state'))!;
  }

  /** Opens an operation, fills its parameters, executes it and answers what the page shows. */
  async function execute(
    tag: string,
    operation: string,
    parameters: Record<string, string> = {},
    body?: string,
  ): Promise<{ url: string; status: string; answer: string }> {
    const block = page.locator(`#operations-${tag}-${operation}`);
    if (!(await block.isVisible())) await page.click(`#operations-tag-${tag}`);
    await block.locator('.opblock-summary-control').click();
    for (const [name, value] of Object.entries(parameters))
      await block.locator(`tr[data-param-name="${name}"] input`).first().fill(value);
    if (body !== undefined) await block.locator('textarea.body-param__text').fill(body);
    await block.locator('.btn.execute').click();
    const result = block.locator('.live-responses-table .response').first();
    await result.waitFor();
    return {
      url: (await block.locator('.request-url').textContent())!,
      status: (await result.locator('.response-col_status').textContent())!.trim(),
      answer: (await result.locator('.response-col_description').textContent())!,
    };
  }

  it('shows every operation of the client API without asking any other server', async () => {
    await page.goto(`${world.publicUrl}/docs`);
    await page.waitForSelector('.opblock-tag');
    const tags = await page.locator('.opblock-tag').evaluateAll((nodes) => nodes.map((node) => node.id));
    const expected = openApiDocument('client').tags.map(({ name }) => `operations-tag-${name}`);
    expect(tags.map((tag) => tag.replaceAll('\\', '')).sort()).toEqual(expected.sort());
    expect(problems).toEqual([]);
  }, 240_000);

  it('refuses a wrong password in words', async () => {
    expect(await logIn('wrong')).toMatch(/login failed: ./);
  }, 240_000);

  it('logs the demo account in and calls operations with its session', async () => {
    expect(await logIn(user.password)).toContain('logged in as');

    const capabilities = await execute('capabilities', 'capabilities_all');
    expect(capabilities.status).toMatch(/^200/);
    expect(capabilities.url).toMatch(/\/capabilities\?action=all&session=[0-9a-f]{32}$/);
    expect(capabilities.answer).toContain('"calendar"');

    const one = await execute('capabilities', 'capabilities_get', { id: 'calendar' });
    expect(one.url).toMatch(/action=get&/);
    expect(one.answer).toContain('"attributes"');

    const batch = await execute(
      'multiple',
      'multiple_process',
      {},
      JSON.stringify([{ module: 'capabilities', action: 'get', id: 'calendar' }]),
    );
    expect(batch.answer).toContain('"data"');
    expect(problems).toEqual([]);

    await page.click('#logout');
    await page.waitForSelector('#state:text("not logged in")');
    const after = await execute('user', 'user_all', { columns: '1' });
    expect(after.answer).toContain('SES-0201');
  }, 240_000);

  it('shows the administrative API on the internal listener alone', async () => {
    expect((await fetch(`${world.publicUrl}/docs/openapi/admin.json`)).status).toBe(404);
    const credentials = await browser.newContext({
      httpCredentials: { username: world.master.login, password: world.master.password },
    });
    await page.close();
    page = await credentials.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(`${world.internalUrl}/docs/`);
    await page.waitForSelector('.info .title:has-text("Administrative REST API")');
    const tag = openApiDocument('admin').tags[0]!.name;
    expect(await page.locator(`[id="operations-tag-${tag}"]`).count()).toBe(1);
    expect(await page.locator('#login').isVisible()).toBe(false);
    await credentials.close();
  }, 240_000);
});
