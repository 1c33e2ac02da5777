/** Type of content that must not be interpreted. */
export const OPAQUE = 'application/octet-stream';

/** Types that browsers may execute or sniff. */
const ACTIVE =
  /html|xml|svg|script|xsl|css|flash|java|multipart|message|mhtml|x-mixed|wasm|manifest|vnd\.mozilla|x-shockwave/i;

/** Types that browsers render: their content must match. */
const DRAWN = /^(image|audio|video)\//i;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(\s*;\s*[\w-]+=[\w.+-]+)*$/;

const stripParameters = (type: string): string => type.split(';')[0]!.trim().toLowerCase();

/**
 * Resolves the served type: the requested one, else the stored one, unless it is active content. Media are served as
 * their sniffed type, other content as opaque.
 * @param sniffed type detected from the bytes; null when unknown
 */
export function resolveServedType(stored: string, asked: string | undefined, sniffed: string | null): string {
  const wanted = (asked ?? stored).trim();
  if (!MEDIA_TYPE.test(wanted) || ACTIVE.test(wanted)) return OPAQUE;
  if (!DRAWN.test(wanted)) return wanted;
  if (sniffed === null || !DRAWN.test(sniffed) || ACTIVE.test(sniffed)) return OPAQUE;
  return stripParameters(wanted) === stripParameters(sniffed) ? wanted : sniffed;
}
