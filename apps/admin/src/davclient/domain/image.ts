/** Longest image within a configuration, characters. */
const MAX_IMAGE = 256 * 1024;

/** True for what a client may show: an https: address, or the data of an image that is not too large. */
export function isDisplayableImage(text: string): boolean {
  if (/^data:image\/[a-z0-9.+-]+[;,]/i.test(text)) return text.length <= MAX_IMAGE;
  return /^https:\/\/[^\s"'<>]+$/i.test(text) && text.length <= 2_048;
}
