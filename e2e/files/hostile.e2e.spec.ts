import { forEachAtOnce, until } from '@groupware/test-kit';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser';
import { keepOutOfLogs } from '../secrets';
import { createFolder, upload } from './files';
import { createAccount, folderOf, startStorageFixtures, type StorageFixtures } from './storages';

let fixtures: StorageFixtures;
let browser: Browser;

beforeAll(async () => {
  fixtures = await startStorageFixtures();
  browser = await launchBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await fixtures?.close();
});

/** Tells the page around it, and the server. */
const RUN = "top.hacked=true;new Image().src='/ran'";
const HTML = `<!DOCTYPE html><script>${RUN}</script><img src="x" onerror="${RUN}"><svg onload="${RUN}"></svg>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script></svg>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><head><script>${RUN}</script></head><body/></html>`;
const XML = `<?xml version="1.0"?><r><s:script xmlns:s="http://www.w3.org/1999/xhtml">${RUN}</s:script></r>`;
const XSLT = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#x"?><x:stylesheet id="x" version="1.0"
  xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:template match="/"><script>${RUN}</script></x:template></x:stylesheet>`;
const PDF = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1);${RUN})>>>>endobj
2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF`;
const MHTML = `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${HTML}`;
const CSS = `*{background:url("javascript:${RUN}");behavior:url(#x)}`;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const joined = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
/** A picture with a comment, which is a page. */
const JPEG = joined(Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, HTML.length + 2]), HTML, Buffer.from([0xff, 0xd9]));

/** Names, types that the client says, and contents. */
const FILES: readonly (readonly [name: string, type: string, content: string | Buffer])[] = [
  ...(
    [
      ['html', 'text/html', HTML],
      ['htm', 'application/octet-stream', HTML],
      ['xhtml', 'application/xhtml+xml', XHTML],
      ['shtml', 'text/x-server-parsed-html', HTML],
      ['svg', 'image/svg+xml', SVG],
      ['xml', 'text/xml', XML],
      ['xsl', 'application/xslt+xml', XSLT],
      ['rss', 'application/rss+xml', XML],
      ['mathml', 'application/mathml+xml', XML],
      ['pdf', 'application/pdf', PDF],
      ['mht', 'message/rfc822', MHTML],
      ['mhtml', 'message/rfc822', MHTML],
      ['eml', 'message/rfc822', MHTML],
      ['js', 'text/javascript', RUN],
      ['mjs', 'application/javascript', RUN],
      ['json', 'application/json', RUN],
      ['css', 'text/css', CSS],
      ['hta', 'application/hta', HTML],
      ['wasm', 'application/wasm', RUN],
      ['appcache', 'text/cache-manifest', HTML],
    ] as const
  ).map(([end, type, content]) => [`true.${end}`, type, content] as const),
  ...(
    [
      ['html.png', 'image/png', HTML],
      ['html.jpg', 'image/jpeg', HTML],
      ['svg.gif', 'image/gif', SVG],
      ['svg.png', 'image/svg+xml', SVG],
      ['html.txt', 'text/plain', HTML],
      ['html.csv', 'text/csv', HTML],
      ['html.mp3', 'audio/mpeg', HTML],
      ['html.mp4', 'video/mp4', HTML],
      ['html.pdf', 'application/pdf', HTML],
      ['html', '', HTML],
      ['html.unknown', 'x/y', HTML],
      ['type.txt', 'text/html; charset=utf-8', HTML],
      ['type.bin', 'text/html;"x', HTML],
      ['picture.html', 'image/png', PNG],
    ] as const
  ).map(([name, type, content]) => [`lying ${name}`, type, content] as const),
  ['page in picture.png', 'image/png', joined(PNG, HTML)],
  ['comment in picture.jpg', 'image/jpeg', JPEG],
  ['script in picture.gif', 'image/gif', `GIF89a=1;${RUN}`],
  ['script in picture.bmp', 'image/bmp', `BM=1;${RUN}`],
  ['page in document.pdf', 'application/pdf', joined(PDF, HTML)],
  ['wide.html', 'text/html', joined(Buffer.from([0xff, 0xfe]), Buffer.from(HTML, 'utf16le'))],
];

/** A page uses one in so many addresses of a file. */
const SHARES = 5;
const ELEMENTS = [
  ['iframe', 'src'],
  ['script', 'src'],
  ['img', 'src'],
  ['object', 'data'],
  ['embed', 'src'],
  ['link', 'href'],
] as const;

/** So many files are tried at once, each in pages of its own, for the most part of it is waiting. */
const LANES = 4;
/** The most that the addresses of one page are waited for, ms. */
const ANSWERS_MS = 60_000;

describe('hostile files in a browser', () => {
  it('are 40, and run in no delivery, whether they are opened or a page of the same origin uses them', async () => {
    expect(FILES).toHaveLength(40);
    const { U1 } = fixtures.cast;
    const { publicUrl } = fixtures.world;
    const folder = await createFolder(U1, fixtures.cast.P1);
    const elsewhere = folderOf(await createAccount(fixtures));
    const context = await browser.newContext({ acceptDownloads: true });
    await context.addCookies([...U1.jar].map(([name, value]) => ({ name, value, url: publicUrl })));
    let ran = 0;
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/ran') ran += 1;
    });
    context.on('dialog', (dialog) => {
      ran += 1;
      void dialog.dismiss();
    });
    const newPage = async (): Promise<Page> => {
      const page = await context.newPage();
      await page.setExtraHTTPHeaders({ 'user-agent': U1.userAgent });
      return page;
    };
    const newPageOfSameOrigin = async (): Promise<Page> => {
      const page = await newPage();
      await page.goto(`${publicUrl}/infostore?action=nothing`);
      await page.setContent('<p>a page of the same origin</p>');
      return page;
    };
    const lanes = await Promise.all(
      Array.from({ length: LANES }, async () => ({ page: await newPageOfSameOrigin(), opener: await newPage() })),
    );
    const answered = new Set<string>();
    context.on('response', (response) => answered.add(response.url()));
    const use = async (page: Page, addresses: readonly string[]): Promise<void> => {
      await page.evaluate(
        ([list, elements]) => {
          const { document } = globalThis as any;
          const uses = list.flatMap((address) =>
            elements.map(
              ([name, attribute]) =>
                new Promise<void>((resolve) => {
                  const element = document.createElement(name);
                  element.setAttribute(attribute, address);
                  if (name === 'link') element.rel = 'stylesheet';
                  element.onload = element.onerror = () => resolve();
                  document.body.append(element);
                  // A download fires neither event.
                  setTimeout(resolve, 700);
                }),
            ),
          );
          return Promise.all(uses).then(() => undefined);
        },
        [addresses, ELEMENTS] as const,
      );
      // On a busy machine the first answers may take longer.
      await until(() => addresses.every((address) => answered.has(publicUrl + address)), ANSWERS_MS);
      await page.evaluate(() => (globalThis as any).document.body.replaceChildren());
    };
    const hacked = (page: Page) => page.evaluate(() => (globalThis as any).hacked);

    const mayRun = async (address: string): Promise<boolean> => {
      const headers = { cookie: U1.cookieHeader, 'user-agent': U1.userAgent };
      const response = await fetch(publicUrl + address, { headers, redirect: 'manual' });
      const { byteLength } = await response.arrayBuffer();
      if (byteLength === 0 && !response.headers.has('location')) return false;
      return !/^attachment\b/.test(response.headers.get('content-disposition') ?? '');
    };
    const documents = new Map<number, { name: string; id: string; stored: string }>();
    await forEachAtOnce(LANES, FILES.entries(), async ([index, [name, file_mimetype, content]]) => {
      const bytes = new Uint8Array(Buffer.from(content));
      const id = await upload(U1, folder, name, bytes, { file_mimetype });
      documents.set(index, { name, id, stored: await upload(U1, elsewhere, name, bytes, { file_mimetype }) });
    });
    await forEachAtOnce(LANES, documents, async ([index, { name, id, stored }], lane) => {
      const { page, opener } = lanes[lane]!;
      const made = await U1.put('share/management', 'getLink', {}, { module: 'infostore', folder, item: id });
      keepOutOfLogs(String(made.data.url).split('/').at(-2));
      const link = new URL(made.data.url).pathname;
      const addressOf = (of: string, parameters: object) =>
        `/infostore?${new URLSearchParams({ action: 'document', session: U1.session, id: of, folder: of.slice(0, of.lastIndexOf('/')), ...parameters })}`;
      const addresses = [
        ...[id, stored].flatMap((of) =>
          [
            {},
            { delivery: 'view' },
            { delivery: 'download' },
            { content_disposition: 'inline', content_type: 'text/html' },
            { delivery: 'view', content_type: 'image/svg+xml' },
            { delivery: 'view', content_type: 'application/javascript' },
            { format: 'preview_image', delivery: 'view' },
            { format: 'thumbnail_image' },
          ].map((parameters) => addressOf(of, parameters)),
        ),
        addressOf(id, { delivery: 'view', version: '1' }),
        `/image/file/mp3cover?${new URLSearchParams({ id })}`,
        `${link}?dl=1`,
        `${link}?delivery=view`,
        // The archive of the folder, which has all files in it, is the same for each.
        ...(index === 0
          ? [`/infostore?${new URLSearchParams({ action: 'zipfolder', session: U1.session, folder })}`]
          : []),
      ];
      // Each file by some of its addresses, all of them by some file.
      await use(
        page,
        addresses.filter((_address, place) => place % SHARES === index % SHARES),
      );
      // Saved and empty answers are not opened, which the first file shows: the others need no browser for that.
      const opened: string[] = [];
      await forEachAtOnce(LANES, addresses, async (address) => {
        if (index === 0 || (await mayRun(address))) opened.push(address);
      });
      for (const address of opened) {
        await opener.goto(publicUrl + address, { waitUntil: 'commit' }).catch(() => undefined);
        expect([name, address, await hacked(opener)]).toEqual([name, address, undefined]);
      }
      expect([name, await hacked(page), ran]).toEqual([name, undefined, 0]);
    });

    // The same page would run it if the file were not served the way it is.
    const { page } = lanes[0]!;
    await page.evaluate((html) => {
      const { document } = globalThis as any;
      const frame = document.createElement('iframe');
      frame.srcdoc = html;
      document.body.append(frame);
    }, HTML);
    await page.waitForFunction(() => (globalThis as any).hacked === true);
    await until(() => ran > 0);
    await context.close();
  }, 900_000);
});
