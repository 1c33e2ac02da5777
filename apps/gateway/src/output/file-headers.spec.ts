import { fileHeaders } from './file-headers';

const policyOf = (contentType: string, inline = true): string =>
  new Map(fileHeaders({ reference: 'f', name: 'f', contentType, inline })).get('Content-Security-Policy')!;

describe('headers of files', () => {
  it.each(['application/pdf', 'Application/PDF; version=1', 'image/png', 'audio/mpeg', 'video/mp4'])(
    'let browsers show %s with a viewer of their own, in which no script of the origin runs',
    (type) => {
      expect(policyOf(type)).toMatch(/^default-src 'none'; /);
      expect(policyOf(type)).toMatch(/; object-src 'self'$/);
      expect(policyOf(type)).not.toContain('script-src');
      expect(policyOf(type, false)).toMatch(/^sandbox; default-src 'none'/);
    },
  );

  it.each(['text/html', 'text/plain', 'image/svg+xml', 'image/x+xml', 'application/xml', 'application/x-own', 'none'])(
    'keep %s in a sandbox',
    (type) => expect(policyOf(type)).toMatch(/^sandbox; default-src 'none'/),
  );
});
