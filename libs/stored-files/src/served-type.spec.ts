import fc from 'fast-check';
import { OPAQUE, resolveServedType } from './served-type';

it.each([
  ['text/plain', undefined, null, 'text/plain'],
  ['text/plain', 'application/pdf', null, 'application/pdf'],
  ['text/plain; charset=utf-8', undefined, null, 'text/plain; charset=utf-8'],
  ['text/plain', 'text/html', null, OPAQUE],
  ['text/html', undefined, null, OPAQUE],
  ['text/plain', ' Text/HTML ; charset=utf-8', null, OPAQUE],
  ['image/svg+xml', undefined, 'application/xml', OPAQUE],
  ['image/png', undefined, 'image/png', 'image/png'],
  ['image/png', undefined, 'image/jpeg', 'image/jpeg'],
  ['image/png', undefined, null, OPAQUE],
  ['image/png', undefined, 'application/pdf', OPAQUE],
  ['video/mp4', undefined, 'image/svg+xml', OPAQUE],
  ['no type', undefined, null, OPAQUE],
  ['text/plain', 'text/plain\r\nSet-Cookie: a=b', null, OPAQUE],
  ['', undefined, null, OPAQUE],
])('stored as %j, asked for as %j, with bytes of %j: %j', (stored, asked, sniffed, served) => {
  expect(resolveServedType(stored, asked, sniffed)).toBe(served);
});

it('no stored, asked or sniffed type leads to one that a browser runs', () => {
  const active = [
    'text/html',
    'image/svg+xml',
    'text/javascript',
    'application/xhtml+xml',
    'text/xsl',
    'message/rfc822',
  ];
  const anyType = fc.oneof(
    fc.constantFrom(...active, 'text/plain', 'image/png'),
    fc.tuple(fc.constantFrom(...active), fc.constantFrom(' ', '\t', '; charset=x', ',text/plain', '\r\n')).map(String),
    fc.constantFrom(...active).map((type) => [...type].map((c, i) => (i % 2 ? c.toUpperCase() : c)).join('')),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(anyType, fc.option(anyType, { nil: undefined }), fc.option(anyType), (stored, asked, sniffed) => {
      const served = resolveServedType(stored, asked, sniffed);
      expect(served).toMatch(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w-]+=[\w.+-]+)*$/);
      expect(served).not.toMatch(/html|xml|svg|script|xsl|message|multipart/i);
    }),
  );
});
