/** Types of pictures that browsers draw and run nothing of. */
export const SHOWN_PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/x-icon',
  'image/avif',
]);
/** Types that browsers may run, or look into the bytes of. */
const ACTIVE = /html|xml|svg|script|css|flash|java|multipart|message|x-mixed|wasm|manifest|^(image|audio|video)\//i;

/** How a file is served: pictures are shown as what they are, everything else is saved. @param sniffed type by its bytes */
export function resolveShownType(
  stored: string,
  sniffed: string | null,
): { readonly contentType: string; readonly inline: boolean } {
  if (sniffed !== null && SHOWN_PICTURES.has(sniffed) && stored.startsWith('image/'))
    return { contentType: sniffed, inline: true };
  return { contentType: ACTIVE.test(stored) ? 'application/octet-stream' : stored, inline: false };
}
