import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sanitizeMailHtml } from '@groupware/mail-content';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../browser';

interface Attack {
  name: string;
  html: string;
}

const ATTACKS = path.join(__dirname, '../../libs/mail-content/src/html/testing/attacks.json');
const attacks = JSON.parse(readFileSync(ATTACKS, 'utf8')) as Attack[];

/** A client's page with a mail between its tools: names and classes as attacks look for them. */
const CLIENT_PAGE = `<!DOCTYPE html><html><head><style>.toolbar{height:40px}.modal-backdrop{position:fixed;inset:0;background:#000}
#mail{position:absolute;left:200px;top:60px;width:600px;height:400px;overflow:auto}</style></head>
<body><div class="toolbar" id="client">Client</div><div id="mail"></div></body></html>`;
const CLIENT_URL = 'http://client.example/';
/** Pictures that the corpus names, and their backgrounds. */
const PICTURE = /^https?:\/\/evil\.example\/[a-z]\w*(?:\.(?:png|gif))?(?:\?m=1|\?x)?$/;

describe('hostile HTML in a browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** URLs that pages asked for, and dialogs that they opened. */
  const effects: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1000, height: 600 } });
    await context.addInitScript({ path: path.join(__dirname, 'inspect-page.js') });
    await context.route('**/*', async (route) => {
      const url = route.request().url();
      if (url === CLIENT_URL) return route.fulfill({ contentType: 'text/html', body: CLIENT_PAGE });
      effects.push(url);
      return route.abort();
    });
  }, 60_000);

  afterAll(() => browser?.close());

  beforeEach(async () => {
    page = await context.newPage();
    page.on('dialog', (dialog) => {
      effects.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(CLIENT_URL);
    effects.length = 0;
  });
  afterEach(() => page.close());

  /** Shows each mail and lists what it does; a page that something happened to is replaced. */
  async function listEffects(mails: readonly Attack[], show: (html: string) => Promise<unknown>) {
    const found: Record<string, string[]> = {};
    for (const { name, html } of mails) {
      effects.length = 0;
      await show(html);
      const problems = [...(await page.evaluate<string[]>('inspectMail()')), ...effects];
      if (problems.length === 0) continue;
      found[name] = problems;
      await page.goto(CLIENT_URL);
    }
    return found;
  }

  it('finds attacks that work where nothing is made safe', async () => {
    const show = (html: string) => page.evaluate(`showMail(${JSON.stringify(html)})`);
    const working = attacks.filter(({ name }) => /^(?:event|remote|covers|takes|style attribute)/.test(name));
    expect(Object.keys(await listEffects(working, show)).length).toBeGreaterThan(15);
  }, 60_000);

  it('runs nothing, fetches nothing and stays in its place', async () => {
    const show = (html: string) => {
      const safe = sanitizeMailHtml(html, { blockImages: true, embedded: true }).html;
      return page.evaluate(`showMail(${JSON.stringify(safe)})`);
    };
    expect(await listEffects(attacks, show)).toEqual({});
  }, 60_000);

  it('runs nothing as a document of its own, and fetches pictures alone when they are shown', async () => {
    const fetched = await listEffects(attacks, (html) =>
      page.setContent(sanitizeMailHtml(html).html, { waitUntil: 'load' }),
    );
    expect(
      Object.values(fetched)
        .flat()
        .filter((effect) => !PICTURE.test(effect)),
    ).toEqual([]);
    expect(Object.keys(fetched)).toContain('remote picture');
  }, 60_000);
});
