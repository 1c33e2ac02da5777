import type { FileContentQuery } from '@groupware/contracts';
import { resolveServedType } from '@groupware/stored-files';
import { lookup } from 'mime-types';

/** The type of bytes of which nothing is known. */
export const OPAQUE = 'application/octet-stream';

/** Texts that browsers save instead of showing them; none of them runs anything, which {@link resolveServedType} sees to. */
const READABLE = /^(?:text\/[\w.+-]+|application\/json)(?=\s*(?:;|$))/i;

/** Type and place of a file in the browser. Whatever is asked for, nothing is served as what a browser would run. */
export function resolveDelivery(
  {
    delivery,
    content_type: asked,
    content_disposition: disposition,
  }: Pick<FileContentQuery, 'delivery' | 'content_type' | 'content_disposition'>,
  stored: string,
  name: string,
  sniffed: string | null,
): { readonly contentType: string; readonly inline: boolean } {
  if (delivery === 'download') return { contentType: OPAQUE, inline: false };
  const isOpaque = stored === OPAQUE;
  if (isOpaque && delivery !== 'view' && asked === undefined) return { contentType: OPAQUE, inline: false };
  const real = isOpaque ? lookup(name) || OPAQUE : stored;
  const plain = (type: string): string => type.split(';')[0]!.trim().toLowerCase();
  const wanted = asked !== undefined && (real === OPAQUE || plain(asked) === plain(real)) ? asked : undefined;
  // The gateway lets no other type be shown than what is safe in a browser.
  const inline = (disposition ?? 'inline') === 'inline' && !(isOpaque && delivery !== 'view');
  const served = resolveServedType(real, wanted, sniffed);
  return { contentType: delivery === 'view' && inline ? served.replace(READABLE, 'text/plain') : served, inline };
}
