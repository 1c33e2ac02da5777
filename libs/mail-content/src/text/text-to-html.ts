import LinkifyIt from 'linkify-it';
import { parseLinkUrl } from '../html/url';

/** Lines longer than this are escaped, but their links are not looked for. */
const MAX_LINKED_LINE_LENGTH = 20_000;
/** Quotes within quotes shown; deeper ones stand in the last. */
const MAX_QUOTE_LEVEL = 20;

const linkify = new LinkifyIt({ fuzzyEmail: true, fuzzyLink: true, fuzzyIP: false });

/** How plain text becomes HTML. */
export interface TextOptions {
  /** Lines that begin with `>` become blockquotes; otherwise they stay as they are. */
  showQuotes?: boolean;
  /** Links are left as text: the mail lies where malicious mails lie. */
  neutralizeLinks?: boolean;
}

/** Plain text as HTML that a page can hold: escaped, with line breaks, links and quotes. */
export function textToHtml(text: string, options: TextOptions = {}): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  let html = '';
  let level = 0;
  let isFirst = true;
  for (const line of lines) {
    const quote = options.showQuotes ? parseQuote(line) : { level: 0, rest: line };
    if (quote.level === level && !isFirst) html += '<br>';
    for (; level < quote.level; level++) html += '<blockquote type="cite">';
    for (; level > quote.level; level--) html += '</blockquote>';
    html += lineToHtml(quote.rest, options);
    isFirst = false;
  }
  return html + '</blockquote>'.repeat(level);
}

/** Escapes what has a meaning in HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\0', '');
}

function parseQuote(line: string): { level: number; rest: string } {
  const mark = /^(?:> ?)+/.exec(line.slice(0, 200))?.[0];
  if (mark === undefined) return { level: 0, rest: line };
  const level = mark.replaceAll(' ', '').length;
  return { level: Math.min(level, MAX_QUOTE_LEVEL), rest: line.slice(mark.length) };
}

function lineToHtml(line: string, options: TextOptions): string {
  const matches = options.neutralizeLinks || line.length > MAX_LINKED_LINE_LENGTH ? null : linkify.match(line);
  let html = '';
  let end = 0;
  for (const match of matches ?? []) {
    // An address without a scheme may be anything.
    const url = match.schema === '//' ? undefined : parseLinkUrl(match.url);
    if (url === undefined) continue;
    html += escapeText(line.slice(end, match.index));
    html += `<a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">${escapeHtml(match.text)}</a>`;
    end = match.lastIndex;
  }
  return html + escapeText(line.slice(end));
}

/** Text with its spaces: the second of two, and one at the beginning, would not be seen. */
function escapeText(text: string): string {
  return escapeHtml(text)
    .replaceAll('\t', '    ')
    .replace(/^ | (?= )/g, '&nbsp;');
}
