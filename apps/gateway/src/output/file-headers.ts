import type { RepliedFile } from '../edge/ports';

/** Types a browser shows without running anything of ours in them; what shows PDF has a place of its own for scripts. */
const SAFE_INLINE =
  /^(image\/(png|jpeg|gif|webp|bmp)|text\/plain|application\/pdf|audio\/[\w.+-]+|video\/[\w.+-]+)\s*(;|$)/i;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w-]+=("[^"\r\n]*"|[\w.+-]+))*$/;

const encode = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Content-Disposition of RFC 6266: a quoted ASCII form for old clients and, where that loses something, the form of RFC
 * 8187 beside it.
 */
function contentDisposition(name: string, inline: boolean): string {
  const kind = inline ? 'inline' : 'attachment';
  if (name === '') return kind;
  // A lone surrogate can't be encoded as UTF-8; characters that turn the writing direction make an .exe look like a .png.
  const whole = name
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '_');
  const ascii = whole.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const plain = `${kind}; filename="${ascii}"`;
  return ascii === whole ? plain : `${plain}; filename*=UTF-8''${encode(whole)}`;
}

/** Types that a browser would run, whatever a service says about them. */
const ACTIVE =
  /^(text\/(html|xml|xsl|css|javascript|ecmascript|[^;\s]*script)|application\/(x-)?(javascript|ecmascript|xml[^;\s]*|xhtml[^;\s]*|[^;\s]*\+xml|java[^;\s]*|x-shockwave-flash)|image\/svg[^;\s]*|(?:multipart|message)\/[^;\s]*|[^;\s]*\+xml)\s*(;|$)/i;

/** Types for which browsers have a viewer of their own, which a sandbox keeps from starting, and in which no script of ours runs. */
const VIEWED = /^(application\/pdf|(image|audio|video)\/[\w.+-]+)\s*(;|$)/i;
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

/** Headers of a file answer. Content of users never runs: no sniffing, sandboxed or in a viewer, inline for safe types only. */
export function fileHeaders(file: RepliedFile): [string, string][] {
  const contentType =
    MEDIA_TYPE.test(file.contentType) && !ACTIVE.test(file.contentType) ? file.contentType : 'application/octet-stream';
  const inline = file.inline === true && SAFE_INLINE.test(contentType);
  return [
    ['Content-Type', contentType],
    ['Content-Disposition', contentDisposition(file.name, inline)],
    ...(file.sizeBytes === undefined ? [] : ([['Content-Length', String(file.sizeBytes)]] as [string, string][])),
    ['X-Content-Type-Options', 'nosniff'],
    [
      'Content-Security-Policy',
      inline && VIEWED.test(contentType) ? `${POLICY}; object-src 'self'` : `sandbox; ${POLICY}`,
    ],
    ['Cache-Control', 'private, no-cache'],
  ];
}
