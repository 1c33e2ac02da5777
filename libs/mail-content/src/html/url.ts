/** Schemes of links that a click may follow. */
const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);
/** Pictures that stand in the mail itself, as base64; SVG is none of them, for it can hold scripts. */
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,[a-z0-9+/=]*$/i;
/** Characters that browsers leave out of a URL or its scheme, or that are not seen: C0, space, soft hyphen, zero width, BOM. */
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u0020\u007f-\u00a0\u00ad\u180e\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff\ufffe\uffff]/g;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Ids of sessions, as this product makes them. */
const SESSION_ID = /^[\da-f]{32}$/i;

/** Longest URL kept, characters; longer ones are dropped. */
const MAX_URL_LENGTH = 8192;
/** Longest picture kept inside the mail, characters of its data URL. */
const MAX_DATA_IMAGE_LENGTH = 2 * 1024 * 1024;

/** A URL of a picture: in the mail as a part, in the mail as data, or on another server. */
export type ImageUrl = { kind: 'cid'; cid: string } | { kind: 'data'; url: string } | { kind: 'external'; url: string };

/** The URL of a link as a page may hold it; undefined for schemes that run or show something else, and for relative ones. */
export function parseLinkUrl(raw: string): string | undefined {
  if (raw.length > MAX_URL_LENGTH) return undefined;
  const url = raw.replace(CONTROL, '').trim();
  const scheme = parseScheme(url);
  if (scheme === undefined || !LINK_SCHEMES.has(scheme)) return undefined;
  return URL.canParse(url) ? url : undefined;
}

/** The URL of a picture; undefined for those that are none or cannot be shown. */
export function parseImageUrl(raw: string): ImageUrl | undefined {
  if (raw.length > MAX_DATA_IMAGE_LENGTH) return undefined;
  const url = raw.replace(CONTROL, '').trim();
  const scheme = parseScheme(url.slice(0, MAX_URL_LENGTH));
  if (scheme === 'cid:') return { kind: 'cid', cid: decodeCid(url.slice(url.indexOf(':') + 1)) };
  if (scheme === 'data:') {
    const data = url.replace(INVISIBLE, '');
    return DATA_IMAGE.test(data) ? { kind: 'data', url: data } : undefined;
  }
  if (url.length > MAX_URL_LENGTH || (scheme !== 'http:' && scheme !== 'https:')) return undefined;
  return URL.canParse(url) ? { kind: 'external', url } : undefined;
}

/** A Content-ID without its brackets, as `cid:` URLs name it (RFC 2392). */
export function decodeCid(raw: string): string {
  const cid = raw.trim().replace(/^<|>$/g, '');
  try {
    return decodeURIComponent(cid);
  } catch {
    return cid;
  }
}

/** The URL of a part by its Content-ID. In `cid:` URLs the `@` stands as it is (RFC 2392): some clients compare without decoding. */
export function toCidUrl(prefix: string, cid: string): string {
  const encoded = encodeURIComponent(cid);
  return prefix + (prefix === 'cid:' ? encoded.replaceAll('%40', '@') : encoded);
}

/** Whether a URL carries the id of a session, in its query or its fragment. @param url that can be parsed */
export function hasSession(url: string): boolean {
  const { searchParams, hash } = new URL(url);
  return [searchParams, new URLSearchParams(hash.slice(1))].some((parameters) =>
    parameters.getAll('session').some((value) => SESSION_ID.test(value)),
  );
}

/** The scheme as a browser would find it: without characters that are not seen, in lower case, with its colon. */
function parseScheme(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:/i.exec(url.slice(0, 256).replace(INVISIBLE, ''))?.[0].toLowerCase();
}
