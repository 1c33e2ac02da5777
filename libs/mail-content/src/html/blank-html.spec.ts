import { isBlankHtml } from './blank-html';
import { sanitizeMailHtml } from './sanitize-html';

const isBlank = (html: string) =>
  [true, false].map((embedded) => isBlankHtml(sanitizeMailHtml(html, { embedded, blockImages: true }).html));

describe('HTML that shows nothing', () => {
  it.each([
    '',
    '<html><body></body></html>',
    '<body><br></body>',
    '<body>&nbsp;</body>',
    '<div dir="ltr"><p> \u00a0\u200b</p></div>',
    '<style>p > a { color: red }</style><p></p>',
    '<!-- text --><title>text</title><table><tr><td></td></tr></table>',
  ])('is %s', (html) => {
    expect(isBlank(html)).toEqual([true, true]);
  });

  it.each(['x', '<body><br>.</body>', '<p>&lt;</p>', '<img src="https://x.example/p.png">', '<style>p{}</style>x'])(
    'is not %s',
    (html) => {
      expect(isBlank(html)).toEqual([false, false]);
    },
  );
});
