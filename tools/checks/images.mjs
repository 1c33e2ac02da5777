/** Image that this checkout is built into: it has a digest once it is pushed. */
const OWN = 'groupware/service';
const REFERENCE = /^(\s*image: |FROM )([^\s:@$]+):([^\s@]+?)(?:@(sha256:[0-9a-f]{64}))?(?=\s|$)/gm;

/**
 * Images that a Compose file or an image recipe takes from a registry.
 * @param {string} text
 * @returns {{ tag: string, digest?: string }[]} each with its name, such as `redis:7.4`, and the digest beside it
 */
export function imagesOf(text) {
  return [...text.matchAll(REFERENCE)]
    .filter(([, , name]) => name !== OWN)
    .map(([, , name, tag, digest]) => ({ tag: `${name}:${tag}`, ...(digest && { digest }) }));
}

/**
 * Images that may become others overnight: those without a digest.
 * @param {string} text a Compose file or an image recipe
 * @returns {string[]} one sentence for each
 */
export const problemsOfImages = (text) =>
  imagesOf(text).flatMap(({ tag, digest }) =>
    digest ? [] : [`the image ${tag} has no digest: npm run pin:images gives it one`],
  );

/**
 * Writes digests beside the tags of images.
 * @param {string} text a Compose file or an image recipe
 * @param {ReadonlyMap<string, string>} digests by tag
 */
export const pinImages = (text, digests) =>
  text.replace(REFERENCE, (whole, before, name, tag) => {
    const digest = digests.get(`${name}:${tag}`);
    return digest ? `${before}${name}:${tag}@${digest}` : whole;
  });
