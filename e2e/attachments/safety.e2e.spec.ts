import type { Browser } from 'playwright-core';
import { launchBrowser } from '../browser';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { attach, attachFiles, download, envelopeOf, newObject, type FormFile, type Target } from './attachments';

let world: TestEnvironment;
let cast: Fixtures;
let target: Target;

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: { GATEWAY_MAX_UPLOAD_BYTES: '3000000', GATEWAY_MAX_UPLOAD_FILES: '20' },
  });
  cast = await createFixtures(world);
  target = await newObject(cast.U1);
}, 120_000);
afterAll(() => world?.close());

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>top.hacked = true</script></svg>';
const HTML = '<!DOCTYPE html><script>top.hacked = true</script>';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const OPAQUE = 'application/octet-stream';

const hostile: (FormFile & { asked?: string; served: string })[] = [
  { name: 'a.html', content: HTML, type: 'text/html', served: OPAQUE },
  { name: 'a.xhtml', content: HTML, type: 'application/xhtml+xml', served: OPAQUE },
  { name: 'a.svg', content: SVG, type: 'image/svg+xml', served: OPAQUE },
  { name: 'a.xml', content: SVG, type: 'text/xml', served: OPAQUE },
  { name: 'a.js', content: 'top.hacked = true', type: 'text/javascript', served: OPAQUE },
  { name: 'a.mht', content: HTML, type: 'multipart/related', served: OPAQUE },
  { name: 'html.png', content: HTML, type: 'image/png', served: OPAQUE },
  { name: 'svg.png', content: SVG, type: 'image/png', served: OPAQUE },
  { name: 'png.txt', content: PNG, type: 'text/plain', asked: 'text/html', served: OPAQUE },
  {
    name: 'gif.js',
    content: 'GIF89a=1;top.hacked=true',
    type: 'image/gif',
    asked: 'application/javascript',
    served: OPAQUE,
  },
  { name: 'text', content: HTML, type: 'text/plain', asked: 'TEXT/HTML; charset=utf-8', served: OPAQUE },
  { name: 'text', content: HTML, type: 'text/plain', asked: 'text/plain\r\nSet-Cookie: a=b', served: OPAQUE },
  { name: 'text', content: HTML, type: 'text/plain', asked: 'image/svg+xml', served: OPAQUE },
  { name: 'real.png', content: PNG, type: 'image/png', served: 'image/png' },
  { name: 'png.jpg', content: PNG, type: 'image/jpeg', served: 'image/png' },
];

describe('what a user uploads', () => {
  it.each(hostile)('$name as $type, asked for as $asked, is $served', async ({ asked, served, ...file }) => {
    const [id] = await attachFiles(cast.U1, target, [file]);
    for (const disposition of ['attachment', 'inline']) {
      const response = await download(cast.U1, target, id!, {
        content_disposition: disposition,
        ...(asked ? { content_type: asked } : {}),
      });
      const { headers } = response;
      expect(headers.get('content-type')).toBe(served);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const inline = disposition === 'inline' && served === 'image/png';
      const policy = headers.get('content-security-policy');
      expect(policy).toMatch(inline ? /^default-src 'none'/ : /^sandbox; default-src 'none'/);
      expect(policy).not.toMatch(/allow-scripts|script-src/);
      expect(headers.get('content-disposition')).toMatch(inline ? /^inline;/ : /^attachment;/);
      expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(file.content))).toBe(true);
    }
  });
});

describe('file names', () => {
  it.each([
    'plain.txt',
    'Überraschung für Käthe.txt',
    'отчёт.txt',
    '報告書.txt',
    'تقرير.txt',
    'emoji 🎉.txt',
    "it's 100% (a) *test*.txt",
    'semi;colon="quoted".txt',
    '</script><script>alert(1)</script>',
    'x'.repeat(255),
  ])('come back as they were: %s', async (name) => {
    const [id] = await attachFiles(cast.U1, target, [{ name: 'part', content: 'x', json: { filename: name } }]);
    expect((await cast.U1.get('attachment', 'get', { id, ...target })).data.filename).toBe(name);
    const header = (await download(cast.U1, target, id!)).headers.get('content-disposition')!;
    const extended = /filename\*=UTF-8''([^;]+)$/.exec(header);
    const plain = /filename="([^"]*)"/.exec(header)![1]!;
    expect(extended ? decodeURIComponent(extended[1]!) : plain).toBe(name);
    expect(header).toMatch(/^[\x20-\x7e]*$/);
  });

  it.each(['a\r\nSet-Cookie: b=c', 'nul\0.txt', 'del\x7f', 'c1\x85'])(
    'with control characters are refused: %j',
    async (name) => {
      const refused = await attach(cast.U1, target, [{ name: 'part', content: 'x', json: { filename: name } }]);
      expect(refused).toMatchObject({ code: 'ATT-0418' });
    },
  );

  it('that turn the writing direction do not hide an ending from the one who saves them', async () => {
    const name = 'photo\u202egnp.exe';
    const [id] = await attachFiles(cast.U1, target, [{ name: 'part', content: 'x', json: { filename: name } }]);
    const header = (await download(cast.U1, target, id!)).headers.get('content-disposition')!;
    expect(header).toBe('attachment; filename="photo_gnp.exe"');
  });

  it('cannot leave the script of the page that answers', async () => {
    const response = await cast.U1.fetch(
      'POST',
      '/attachment',
      { action: 'attach', session: cast.U1.session, callback: '"];alert(1)//' },
      { body: formWith({ ...target, module: '</script><script>alert(1)</script>' }) },
    );
    const page = await response.text();
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('alert(1)//');
    expect(envelopeOf(page)).toMatchObject({ code: 'ATT-0701' });
  });
});

function formWith(json: object): FormData {
  const form = new FormData();
  form.set('json_0', JSON.stringify(json));
  form.set('file_0', new Blob(['x']), 'x');
  return form;
}

describe('broken and oversized forms', () => {
  const send = async (body: string | FormData, boundary?: string): Promise<any> => {
    const response = await cast.U1.fetch(
      'POST',
      '/attachment',
      { action: 'attach', session: cast.U1.session },
      { body, ...(boundary ? { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } } : {}) },
    );
    expect(response.status).toBe(200);
    return envelopeOf(await response.text());
  };

  it('are refused: no final boundary, 10,000 parts, too many bytes, missing halves', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="file_0"; filename="x"\r\n\r\nx\r\n';
    expect((await send(part, 'b')).code).toMatch(/^UPL-/);
    expect((await send(part.repeat(10_000) + '--b--\r\n', 'b')).code).toMatch(/^SVL-0031|UPL-/);
    const large = formWith(target);
    large.set('file_1', new Blob([Buffer.alloc(3_100_000)]), 'large');
    expect(await send(large)).toMatchObject({
      code: 'UPL-0005',
      error_params: [expect.any(String), '3000000'],
      problematic: [{ name: 'GATEWAY_MAX_UPLOAD_BYTES', kind: 'limit', reason: 'at most 3000000' }],
    });
    const bare = new FormData();
    bare.set('json_0', JSON.stringify(target));
    expect(await send(bare)).toMatchObject({ code: 'ATT-0401', error_params: ['file_0'] });
    const noJson = new FormData();
    noJson.set('file_3', new Blob(['x']), 'x');
    expect(await send(noJson)).toMatchObject({ code: 'SVL-0002', error_params: ['json_3'] });
    const broken = formWith(target);
    broken.set('json_0', '{"folder":');
    expect(await send(broken)).toMatchObject({ code: 'SVL-0029' });
  });

  it('leave gaps between the numbers where clients leave them', async () => {
    const form = formWith(target);
    form.set('json_7', JSON.stringify(target));
    form.set('file_7', new Blob(['y']), 'y');
    expect((await send(form)).data).toHaveLength(2);
  });
});

describe('a form in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
  });

  it('runs nothing of hostile files, however a page of the same origin uses them', async () => {
    const context = await browser.newContext();
    await context.addCookies([...cast.U1.jar].map(([name, value]) => ({ name, value, url: world.publicUrl })));
    const page = await context.newPage();
    await page.setExtraHTTPHeaders({ 'user-agent': cast.U1.userAgent });
    const hacked = () => page.evaluate(() => (globalThis as any).hacked);
    const addresses: string[] = [];
    for (const { asked, name, content, type } of hostile) {
      const [id] = await attachFiles(cast.U1, target, [{ name, content, type }]);
      const query = { action: 'document', session: cast.U1.session, content_disposition: 'inline', id: String(id) };
      const object = Object.entries(target).map(([key, value]) => [key, String(value)]);
      const wanted = { ...query, ...Object.fromEntries(object), ...(asked ? { content_type: asked } : {}) };
      addresses.push(`/attachment?${new URLSearchParams(wanted)}`);
    }
    await page.goto(`${world.publicUrl}/attachment?action=nothing`);
    await page.setContent('<p>a page of the same origin</p>');
    const use = (tag: string, attribute: string, address: string) =>
      page.evaluate(
        ([name, key, value]) =>
          new Promise<void>((resolve) => {
            const { document } = globalThis as any;
            const element = document.createElement(name);
            element.setAttribute(key, value);
            if (name === 'link') element.rel = 'stylesheet';
            element.onload = element.onerror = () => resolve();
            document.body.append(element);
            // A download fires neither event.
            setTimeout(resolve, 300);
          }),
        [tag, attribute, address] as const,
      );
    for (const address of addresses) {
      await Promise.all(
        [
          ['iframe', 'src'],
          ['script', 'src'],
          ['img', 'src'],
          ['object', 'data'],
          ['embed', 'src'],
          ['link', 'href'],
        ].map(([tag, attribute]) => use(tag!, attribute!, address)),
      );
      expect([address, await hacked()]).toEqual([address, undefined]);
    }
    // The same page would run it if the file were not served the way it is.
    await use('iframe', 'srcdoc', HTML);
    expect(await hacked()).toBe(true);
    await context.close();
  }, 60_000);

  it('is answered by a call of its page, and what it uploaded cannot run', async () => {
    const context = await browser.newContext();
    await context.addCookies([...cast.U1.jar].map(([name, value]) => ({ name, value, url: world.publicUrl })));
    const page = await context.newPage();
    await page.setExtraHTTPHeaders({ 'user-agent': cast.U1.userAgent });
    // Any page of our own origin will do; its content is replaced by the form of a client.
    await page.goto(`${world.publicUrl}/attachment?action=nothing`);
    const action = `${world.publicUrl}/attachment?action=attach&session=${cast.U1.session}`;
    await page.setContent(`
      <iframe name="answer"></iframe>
      <form method="post" enctype="multipart/form-data" target="answer" action="${action}">
        <input name="json_0"><input type="file" name="file_0"></form>`);
    await page.fill('input[name=json_0]', JSON.stringify(target));
    await page.setInputFiles('input[type=file]', {
      name: 'evil "quoted" ü.html',
      mimeType: 'text/html',
      buffer: Buffer.from(HTML),
    });
    const answer = await page.evaluate(
      () =>
        new Promise<any>((resolve) => {
          (globalThis as any).callback_attach = resolve;
          (globalThis as any).document.forms[0].submit();
        }),
    );
    expect(answer.data).toEqual([expect.any(Number)]);
    const url = `${world.publicUrl}/attachment?${new URLSearchParams({
      action: 'document',
      session: cast.U1.session,
      id: String(answer.data[0]),
      content_type: 'text/html',
      content_disposition: 'inline',
      ...Object.fromEntries(Object.entries(target).map(([name, value]) => [name, String(value)])),
    })}`;
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.evaluate((address) => {
        const frame = (globalThis as any).document.createElement('iframe');
        frame.src = address;
        (globalThis as any).document.body.append(frame);
      }, url),
    ]);
    expect(file.suggestedFilename()).toMatch(/evil .*ü\.html$/);
    expect(await page.evaluate(() => (globalThis as any).hacked)).toBeUndefined();
    await context.close();
  }, 60_000);
});
