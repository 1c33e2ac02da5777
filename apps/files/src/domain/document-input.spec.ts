import { readVersionFields } from './document-input';

describe('an address of a bookmark', () => {
  it.each([
    'https://intranet.example/x?y=z#end',
    'HTTP://intranet.example',
    'ftp://files.example/a',
    'mailto:u1@example.org',
    'tel:+49301234',
    'www.example.org/page',
  ])('is %j', (url) => {
    expect(readVersionFields({ url })).toEqual({ url });
  });

  it.each([
    'http://',
    'javascript:alert(1)',
    '\u00a0JavaScript:alert(1)',
    'java\tscript:1/alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://intranet.example/1',
  ])('is not %j', (url) => {
    expect(() => readVersionFields({ url })).toThrow(expect.objectContaining({ code: 'IFO-2100' }));
  });
});
