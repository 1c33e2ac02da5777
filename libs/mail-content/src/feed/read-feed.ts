import { parseFeed } from 'feedsmith';
import { sanitizeMailHtml } from '../html/sanitize-html';
import { decodeCharset } from '../text/charset';
import { htmlToText } from '../text/html-to-text';

/** An item of a news feed. */
export interface FeedItem {
  title: string;
  /** Its page; only http and https. */
  url: string;
  author: string;
  /** ms UTC; undefined where it has none that can be read. */
  date?: number;
  /** HTML that runs nothing. */
  body: string;
}

/** A news feed. */
export interface Feed {
  title: string;
  /** Its picture; only http and https. */
  imageUrl: string;
  /** In the order of the feed. */
  items: FeedItem[];
}

/** Limits of what is kept of a feed. */
export interface FeedOptions {
  /** Most items. */
  maxItems: number;
  /** Pictures are left out. */
  dropImages: boolean;
}

/** Bytes in which an XML declaration and a document type stand. */
const PROLOGUE_BYTES = 4096;
const MAX_TEXT = 1000;

/**
 * Reads RSS, RDF, Atom and JSON feeds.
 * @throws Error for anything else, and for documents that declare entities
 */
export function readFeed(bytes: Uint8Array, charset: string | undefined, { maxItems, dropImages }: FeedOptions): Feed {
  const text = decodeCharset(bytes, charset ?? findXmlCharset(bytes));
  if (/<!ENTITY/i.test(text)) throw new Error('a document that declares entities');
  const { title, imageUrl, items } = toFeed(parseFeed(text));
  return {
    title: toLine(title),
    imageUrl: toWebAddress(imageUrl),
    items: items.slice(0, maxItems).map(({ title, url, author, date, html }) => ({
      title: toLine(title),
      url: toWebAddress(url),
      author: toLine(author),
      ...toDate(date),
      body: clean(html ?? '', dropImages),
    })),
  };
}

interface RawFeed {
  readonly title?: string;
  readonly imageUrl?: string;
  readonly items: readonly RawItem[];
}

interface RawItem {
  readonly title?: string;
  readonly url?: string;
  readonly author?: string;
  readonly date?: string;
  readonly html?: string;
}

type Parsed = ReturnType<typeof parseFeed>;

/** The name of an author, or the address where there is none. */
const toAuthor = (author: { readonly name?: string; readonly email?: string } = {}): string | undefined =>
  author.name ?? author.email;

function toFeed(parsed: Parsed): RawFeed {
  switch (parsed.format) {
    case 'rss':
    case 'rdf': {
      const { feed } = parsed;
      const items = (feed.items ?? []).map((item): RawItem => ({
        title: item.title,
        url: item.link,
        author: item.dc?.creators?.[0] ?? ('authors' in item ? toAuthor(item.authors?.[0]) : undefined),
        date: toText(('pubDate' in item && item.pubDate) || item.dc?.dates?.[0]),
        html: item.content?.encoded ?? item.description,
      }));
      return { title: feed.title, imageUrl: feed.image?.url, items };
    }
    case 'atom': {
      const { feed } = parsed;
      const items = (feed.entries ?? []).map((entry): RawItem => ({
        title: entry.title?.value,
        url: (entry.links?.find(({ rel }) => !rel || rel === 'alternate') ?? entry.links?.[0])?.href,
        author: (entry.authors ?? feed.authors)?.[0]?.name,
        date: toText(entry.published ?? entry.updated),
        html: entry.content?.value ?? entry.summary?.value,
      }));
      return { title: feed.title?.value, imageUrl: feed.logo ?? feed.icon, items };
    }
    case 'json': {
      const { feed } = parsed;
      const items = (feed.items ?? []).map((item): RawItem => ({
        title: item.title,
        url: item.url,
        author: item.authors?.[0]?.name,
        date: toText(item.date_published),
        html: item.content_html ?? item.content_text,
      }));
      return { title: feed.title, imageUrl: feed.icon, items };
    }
  }
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Names of charsets are ASCII, whatever the document is written in. */
function findXmlCharset(bytes: Uint8Array): string | undefined {
  const prologue = Buffer.from(bytes.subarray(0, PROLOGUE_BYTES)).toString('latin1');
  return /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(prologue)?.[1];
}

const clean = (html: string, dropImages: boolean): string =>
  sanitizeMailHtml(dropImages ? html.replace(/<img\b[^>]*>/gi, '') : html, { embedded: true, blockImages: dropImages })
    .html;

/** Titles may hold HTML; a client shows them as text. */
const toLine = (text = ''): string =>
  (/[<&]/.test(text) ? htmlToText(text) : text).replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT);

const toWebAddress = (url = ''): string => (/^https?:\/\/[^\s<>"']+$/i.test(url.trim()) ? url.trim() : '');

function toDate(text: string | undefined): { date?: number } {
  const date = Date.parse(text ?? '');
  return Number.isNaN(date) ? {} : { date };
}
