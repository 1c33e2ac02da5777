/** A title as the name of a file, without what file systems do not take. */
export const toFileName = (title: string): string =>
  title
    .replace(/[\p{Cc}\\/:*?"<>|]+/gu, '_')
    .trim()
    .slice(0, 200);
