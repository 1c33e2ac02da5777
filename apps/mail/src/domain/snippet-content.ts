import { toFileId } from './snippet-id';

/** A picture of the text of a snippet: one that it has, one that was uploaded, or one that stands in the text. */
export type SnippetPicture =
  | { readonly kind: 'own'; readonly snippet: string; readonly file: string }
  | { readonly kind: 'managed'; readonly id: string }
  | { readonly kind: 'data'; readonly type: string; readonly base64: string };

/** Sources of pictures in quotes; a run without quotes and spaces ends, so that texts of any kind take linear time. */
const SOURCE = /(\bsrc {0,3}= {0,3})(["'])(data:[^"']*|[^"'<>\s]{1,4000})\2/gi;
const DATA = /^data:(image\/[\w.+-]{1,64});base64,/i;
const WORDS_OF_HTML = /<[a-z!/?]/i;

/** Whether a text is made safe as HTML: where the client says so, or says nothing and writes tags. */
export function isHtml(content: string, misc: unknown): boolean {
  const type = readContentType(misc);
  if (type === undefined) return WORDS_OF_HTML.test(content);
  return !/^text\/plain\b/i.test(type);
}

/** Clients keep the type of the text among their facts. */
function readContentType(misc: unknown): string | undefined {
  if (typeof misc !== 'object' || misc === null) return undefined;
  const type = (misc as Readonly<Record<string, unknown>>)['content-type'];
  return typeof type === 'string' ? type.trim() : undefined;
}

/**
 * Names the pictures of a text by Content-IDs.
 * @param nameOf Content-ID of a picture; undefined: it is left out
 */
export function replacePictures(html: string, nameOf: (picture: SnippetPicture) => string | undefined): string {
  return html.replace(SOURCE, (whole: string, before: string, quote: string, address: string) => {
    const picture = parsePicture(address);
    if (!picture) return whole;
    const name = nameOf(picture);
    return `${before}${quote}${name === undefined ? '' : `cid:${name}`}${quote}`;
  });
}

/** Gives the pictures of a stored text the addresses by which browsers get them. */
export const showPictures = (content: string, addressOf: (file: string) => string | undefined): string =>
  content.replace(/(\bsrc=")cid:([\da-f]{32})(")/g, (_whole: string, before: string, file: string, after: string) => {
    const address = addressOf(file);
    return `${before}${address === undefined ? '' : address.replaceAll('&', '&amp;')}${after}`;
  });

function parsePicture(address: string): SnippetPicture | undefined {
  const data = DATA.exec(address);
  if (data) return { kind: 'data', type: data[1]!.toLowerCase(), base64: address.slice(data[0].length) };
  const own = /^cid:(.{1,200})$/i.exec(address);
  if (own) return { kind: 'own', snippet: '', file: toFileId(own[1]!) };
  const start = address.indexOf('?');
  if (start < 0) return undefined;
  const path = address.slice(0, start);
  const query = new URLSearchParams(address.slice(start + 1).replaceAll('&amp;', '&'));
  if (path.endsWith('/image/snippet/image'))
    return { kind: 'own', snippet: query.get('id') ?? '', file: toFileId(query.get('uid') ?? '') };
  if (path.endsWith('/image/mfile/picture')) return { kind: 'managed', id: query.get('uid') ?? '' };
  if (path.endsWith('/file') && query.get('action') === 'get') return { kind: 'managed', id: query.get('id') ?? '' };
  return undefined;
}
