import { readFeed } from '../feed/read-feed';
import { sanitizeMailHtml } from '../html/sanitize-html';
import { decompressRtf } from '../rich/compressed-rtf';
import { enrichedToHtml, richtextToHtml } from '../rich/enriched-to-html';
import { rtfToHtml } from '../rich/rtf-to-html';
import { decodeCharset, decodeHtmlCharset } from '../text/charset';
import { joinFlowedLines } from '../text/flowed';
import { htmlToText } from '../text/html-to-text';
import { textToHtml } from '../text/text-to-html';
import type { ContentResult, ContentTask, EncodedText } from './content-task';

/** Does a task. It may take long for some contents: it belongs into a thread. */
export function runContentTask(task: ContentTask): ContentResult {
  switch (task.kind) {
    case 'sanitizeHtml': {
      const source = cutHtml(decodeHtml(task.text), task.maxLength);
      const { html, hasBlockedImages, shownCids } = sanitizeMailHtml(source.content, task.options);
      return { content: html, isTruncated: source.isTruncated, hasBlockedImages, shownCids };
    }
    case 'textToHtml': {
      const source = cutText(decodeTexts(task.texts), task.maxLength);
      return toResult({ content: textToHtml(source.content, task.options), isTruncated: source.isTruncated });
    }
    case 'htmlToText': {
      const source = cutHtml(decodeHtml(task.text), task.maxLength);
      return toResult({ content: htmlToText(source.content), isTruncated: source.isTruncated });
    }
    case 'decodeText':
      return toResult(cutText(decodeTexts(task.texts), task.maxLength));
    case 'readFeed': {
      const { bytes, charset } = task.text;
      return toResult({ content: JSON.stringify(readFeed(bytes, charset, task.options)), isTruncated: false });
    }
  }
}

interface CutText {
  content: string;
  isTruncated: boolean;
}

function toResult(text: CutText): ContentResult {
  return { ...text, hasBlockedImages: false, shownCids: [] };
}

function decodeHtml(text: EncodedText): string {
  if (text.markup === 'rtf') return rtfToHtml(text.bytes);
  if (text.markup === 'compressedRtf') return rtfToHtml(decompressRtf(text.bytes));
  if (text.markup === 'enriched') return enrichedToHtml(decodeCharset(text.bytes, text.charset));
  if (text.markup === 'richtext') return richtextToHtml(decodeCharset(text.bytes, text.charset));
  return decodeHtmlCharset(text.bytes, text.charset);
}

function decodeTexts(texts: readonly EncodedText[]): string {
  return texts
    .map((text) => {
      const decoded = decodeCharset(text.bytes, text.charset).replace(/\r\n?/g, '\n');
      return text.flowed ? joinFlowedLines(decoded, text.delSp) : decoded;
    })
    .map((text, at, all) => (at < all.length - 1 && !text.endsWith('\n') ? `${text}\n` : text))
    .join('');
}

/** Cut before a tag that would not be whole. */
function cutHtml(html: string, maxLength = Infinity): CutText {
  if (html.length <= maxLength) return { content: html, isTruncated: false };
  const cut = cutText(html, maxLength).content;
  const open = cut.lastIndexOf('<');
  const isInTag = open > cut.lastIndexOf('>');
  return { content: isInTag ? cut.slice(0, open) : cut, isTruncated: true };
}

/** Cut between characters, not within a surrogate pair. */
function cutText(text: string, maxLength = Infinity): CutText {
  if (text.length <= maxLength) return { content: text, isTruncated: false };
  const isPair = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return { content: text.slice(0, isPair ? maxLength - 1 : maxLength), isTruncated: true };
}
