import express from 'express';
import request from 'supertest';
import { explorerRouter } from './explorer';

describe('explorer page', () => {
  const app = express();
  app.use('/docs', explorerRouter({ basePaths: ['/ajax', ''], version: '1.2.3', listener: 'public' }));

  it('loads everything from this server under a policy without inline scripts', async () => {
    const page = await request(app).get('/docs/').expect(200);
    const policy = page.headers['content-security-policy']!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(page.text).not.toMatch(/<script>|\son\w+=/);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(files.length).toBeGreaterThanOrEqual(6);
    for (const file of files) await request(app).get(`/docs/${file}`).expect(200);
  });

  it('sends the address without slash to the page', async () => {
    await request(app).get('/docs').expect(308).expect('Location', '/docs/');
  });

  it.each([
    ['public', ['openapi/client.json']],
    ['internal', ['openapi/admin.json', 'openapi/client.json']],
  ] as const)(
    'serves the documents of the %s listener, with the base paths of this installation',
    async (listener, urls) => {
      const app = express();
      app.use('/docs', explorerRouter({ basePaths: ['/ajax', ''], version: '1.2.3', listener }));
      const settings = await request(app).get('/docs/settings.json').expect(200);
      const { documents } = settings.body as { documents: { url: string }[] };
      expect(documents.map(({ url }) => url)).toEqual(urls);
      for (const { url } of documents) {
        const { body } = await request(app).get(`/docs/${url}`).expect(200);
        expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
      }
      const client = await request(app).get('/docs/openapi/client.json');
      expect(client.body).toMatchObject({ servers: [{ url: '/ajax' }, { url: '/' }] });
    },
  );

  it.each([
    '/docs/openapi/other.json',
    '/docs/openapi/admin.json',
    '/docs/ui/package.json',
    '/docs/ui/..%2fpackage.json',
    '/docs/..%2f..%2fpackage.json',
  ])('does not serve %s', async (target) => {
    await request(app).get(target).expect(404);
  });
});
