import { randomUUID } from 'node:crypto';

/** A picture that the text of a mail shows and that has to go along with it. */
export type OutgoingPicture = {
  /** Content-ID in the mail. */
  readonly cid: string;
} & (
  | { readonly kind: 'part'; readonly folder: string; readonly id: string; readonly partCid: string }
  | { readonly kind: 'space'; readonly attachment: string }
  | { readonly kind: 'snippet'; readonly snippet: string; readonly attachment: string }
  | { readonly kind: 'managed'; readonly id: string }
  | { readonly kind: 'data'; readonly type: string; readonly base64: string }
);

/** Most pictures of one text. */
const MAX_PICTURES = 200;
/** Quoted addresses of pictures of this server, and of pictures that stand in the text. Both are read in linear time. */
const DOOR = String.raw`/(?:image/(?:mail/picture|mail/compose/image|snippet/image|mfile/picture)|file)\?`;
const ADDRESS = new RegExp(String.raw`(["'])((?:(?!${DOOR})[^"'<>\s])*${DOOR}[^"'<>\s]*)\1`, 'g');
/** Ids of managed files: what is read from `file` by another one is of another server. */
const MANAGED_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DATA = /(["'])data:(image\/(?:png|jpe?g|gif|webp));base64,([A-Za-z0-9+/=\s]*)\1/gi;

/**
 * Replaces the pictures of this server and those within the text by parts of the mail: no address of this server leaves it.
 * @param html as clients write it
 */
export function extractPictures(html: string): { html: string; pictures: OutgoingPicture[] } {
  const pictures: OutgoingPicture[] = [];
  const add = (quote: string, picture: Omit<OutgoingPicture, 'cid'>): string => {
    if (pictures.length >= MAX_PICTURES) return `${quote}${quote}`;
    const cid = `${randomUUID().replaceAll('-', '')}.picture`;
    pictures.push({ ...picture, cid } as OutgoingPicture);
    return `${quote}cid:${cid}${quote}`;
  };
  if (!/\/image\/(?:mail|snippet|mfile)\/|\/file\?|data:image/i.test(html)) return { html, pictures };
  const withoutAddresses = html.replace(ADDRESS, (whole, quote: string, address: string) => {
    const query = new URLSearchParams(address.slice(address.indexOf('?') + 1).replaceAll('&amp;', '&'));
    const [id, uid] = [query.get('id') ?? '', query.get('uid') ?? ''];
    if (address.includes('/image/mail/compose/image?')) return add(quote, toSpacePicture(uid));
    if (address.includes('/image/snippet/image?')) return add(quote, toSnippetPicture(id, uid));
    if (address.includes('/image/mfile/picture?')) return add(quote, toManagedPicture(uid));
    if (address.includes('/image/mail/picture?')) return add(quote, toPartPicture(query.get('folder') ?? '', id, uid));
    return query.get('action') === 'get' && MANAGED_ID.test(id) ? add(quote, toManagedPicture(id)) : whole;
  });
  const result = withoutAddresses.replace(DATA, (_whole, quote: string, type: string, base64: string) =>
    add(quote, { kind: 'data', type: type.toLowerCase(), base64 } as Omit<OutgoingPicture, 'cid'>),
  );
  return { html: result, pictures };
}

const toPartPicture = (folder: string, id: string, partCid: string): Omit<OutgoingPicture, 'cid'> =>
  ({ kind: 'part', folder, id, partCid }) as Omit<OutgoingPicture, 'cid'>;

const toSpacePicture = (uid: string): Omit<OutgoingPicture, 'cid'> =>
  ({ kind: 'space', attachment: uid.slice(-32) }) as Omit<OutgoingPicture, 'cid'>;

const toSnippetPicture = (snippet: string, attachment: string): Omit<OutgoingPicture, 'cid'> =>
  ({ kind: 'snippet', snippet, attachment }) as Omit<OutgoingPicture, 'cid'>;

const toManagedPicture = (id: string): Omit<OutgoingPicture, 'cid'> =>
  ({ kind: 'managed', id }) as Omit<OutgoingPicture, 'cid'>;
