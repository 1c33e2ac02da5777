import { compile } from 'html-to-text';

const toText = compile({
  wordwrap: false,
  limits: { maxInputLength: 10 * 1024 * 1024, maxDepth: 100, maxBaseElements: 10 },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['<', '>'], ignoreHref: false } },
    { selector: 'img', format: 'skip' },
    { selector: 'table', format: 'block' },
    { selector: 'blockquote', format: 'blockquote', options: { leadingLineBreaks: 1, trailingLineBreaks: 2 } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ...['script', 'style', 'title', 'noscript', 'svg', 'math', 'template'].map((selector) => ({
      selector,
      format: 'skip',
    })),
  ],
});

/** The text of an HTML mail, with line breaks, links after their texts and quotes marked by `> `. */
export function htmlToText(html: string): string {
  return toText(html).replace(/\u00a0/g, ' ');
}
