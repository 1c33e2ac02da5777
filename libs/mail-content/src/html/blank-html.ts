/** Whatever shows nothing: space, rules of styles, and tags but those of pictures. */
const INVISIBLE = /(?:\s|&nbsp;|[\u200b-\u200f\u2060\ufeff])+|<style\b[^>]*>[^<]*<\/style>|<(?!img\b)[^>]*>/gy;

/** Whether sanitized HTML shows neither text nor pictures. */
export function isBlankHtml(html: string): boolean {
  let end = 0;
  // Stops at the first thing that is seen, which most mails begin with.
  for (const [invisible] of html.matchAll(INVISIBLE)) end += invisible.length;
  return end === html.length;
}
