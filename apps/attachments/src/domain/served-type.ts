/** The type of bytes nobody may interpret. */
export const OPAQUE = 'application/octet-stream';

/** Types that may run something in a browser, or that browsers guess about. */
const ACTIVE =
  /html|xml|svg|script|xsl|css|flash|java|multipart|message|mhtml|x-mixed|wasm|manifest|vnd\.mozilla|x-shockwave/i;

/** Types that a browser draws or plays by itself: their bytes must be what the type says. */
const DRAWN = /^(image|audio|video)\//i;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(\s*;\s*[\w-]+=[\w.+-]+)*$/;

const bare = (type: string): string => type.split(';')[0]!.trim().toLowerCase();

/**
 * The type a file is answered with: the one asked for, else the stored one, as long as nothing can run by it. Pictures and
 * the like are answered as what their bytes are; bytes of another kind are opaque.
 * @param sniffed what the bytes look like; null when they look like nothing known
 */
export function servedType(stored: string, asked: string | undefined, sniffed: string | null): string {
  const wanted = (asked ?? stored).trim();
  if (!MEDIA_TYPE.test(wanted) || ACTIVE.test(wanted)) return OPAQUE;
  if (!DRAWN.test(wanted)) return wanted;
  if (sniffed === null || !DRAWN.test(sniffed) || ACTIVE.test(sniffed)) return OPAQUE;
  return bare(wanted) === bare(sniffed) ? wanted : sniffed;
}
