import { randomUUID } from 'node:crypto';
import { MailErrors } from '@groupware/contracts';

/** A picture that the text of a mail shows and that has to go along with it. */
export type OutgoingPicture = {
  /** Content-ID in the mail. */
  readonly cid: string;
} & (
  | { readonly kind: 'part'; readonly folder: string; readonly id: string; readonly part: PartName }
  | { readonly kind: 'snippet'; readonly snippet: string; readonly attachment: string }
  | { readonly kind: 'managed'; readonly id: string }
  | { readonly kind: 'data'; readonly type: string; readonly base64: string }
);

/** A part by its number, or by its Content-ID. */
type PartName = { readonly part: string } | { readonly cid: string };

/** Most pictures of one text. */
const MAX_PICTURES = 200;
/** Quoted addresses of pictures of this server, and of pictures that stand in the text. Both are read in linear time. */
const DOOR = String.raw`/(?:image/(?:mail/picture|mail/compose/image|snippet/image|mfile/picture)\?|file\?|mail\?|mail/compose/[\da-f]{32}/attachments/[\da-f]{32})`;
const ADDRESS = new RegExp(String.raw`(["'])((?:(?!${DOOR})[^"'<>\s])*(${DOOR})[^"'<>\s]*)\1`, 'g');
/** Ids of managed files: what is read from `file` by another one is of another server. */
const MANAGED_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DATA = /(["'])data:(image\/(?:png|jpe?g|gif|webp));base64,([A-Za-z0-9+/=\s]*)\1/gi;

/** A picture without the Content-ID that it gets. */
type FoundPicture = OutgoingPicture extends infer P ? (P extends unknown ? Omit<P, 'cid'> : never) : never;

/**
 * Replaces the pictures of this server and those within the text by parts of the mail, one for each address: no address of this
 * server leaves it.
 * @param html as clients write it
 * @param spaceCids Content-IDs of the inline files of a space, by the id of the attachment
 * @throws MSG-0094 for too many pictures
 */
export function extractPictures(
  html: string,
  spaceCids: ReadonlyMap<string, string> = new Map(),
): { html: string; pictures: OutgoingPicture[] } {
  const pictures: OutgoingPicture[] = [];
  const cids = new Map<string, string>();
  const add = (quote: string, address: string, picture: FoundPicture): string => {
    let cid = cids.get(address);
    if (cid === undefined) {
      if (pictures.length >= MAX_PICTURES) throw MailErrors.tooManyFiles(MAX_PICTURES);
      cid = `${randomUUID().replaceAll('-', '')}.picture`;
      cids.set(address, cid);
      pictures.push({ ...picture, cid });
    }
    return `${quote}cid:${cid}${quote}`;
  };
  const toSpaceCid = (quote: string, attachment: string): string => {
    const cid = spaceCids.get(attachment);
    return `${quote}${cid === undefined ? '' : `cid:${encodeURIComponent(cid)}`}${quote}`;
  };
  if (!new RegExp(`${DOOR}|data:image`, 'i').test(html)) return { html, pictures };
  const withoutAddresses = html.replace(ADDRESS, (whole, quote: string, address: string, door: string) => {
    const query = new URLSearchParams(address.slice(address.indexOf('?') + 1).replaceAll('&amp;', '&'));
    const [folder, id, uid] = ['folder', 'id', 'uid'].map((name) => query.get(name) ?? '') as [string, string, string];
    switch (door) {
      case '/image/mail/compose/image?':
        return toSpaceCid(quote, uid.slice(-32));
      case '/image/snippet/image?':
        return add(quote, address, { kind: 'snippet', snippet: id, attachment: uid });
      case '/image/mfile/picture?':
        return add(quote, address, { kind: 'managed', id: uid });
      case '/image/mail/picture?':
        return add(quote, address, { kind: 'part', folder, id, part: { cid: uid } });
      case '/mail?': {
        const part = query.get('attachment');
        const isPart = query.get('action') === 'attachment' && folder && id && part;
        return isPart ? add(quote, address, { kind: 'part', folder, id, part: { part } }) : whole;
      }
      case '/file?':
        return query.get('action') === 'get' && MANAGED_ID.test(id)
          ? add(quote, address, { kind: 'managed', id })
          : whole;
      default:
        return toSpaceCid(quote, door.slice(-32));
    }
  });
  const result = withoutAddresses.replace(DATA, (_whole, quote: string, type: string, base64: string) =>
    add(quote, `${type};${base64}`, { kind: 'data', type: type.toLowerCase(), base64 }),
  );
  return { html: result, pictures };
}
