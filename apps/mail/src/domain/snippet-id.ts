const MAX_ID = 2 ** 31 - 1;
const FILE_ID = /^[\da-f]{32}$/;

/** The number of a snippet; undefined for what is the id of none. */
export function parseSnippetId(id: string): number | undefined {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : 0;
  return number > 0 && number <= MAX_ID ? number : undefined;
}

/** The id of a file as clients know it; a text that names none stays one that names none. */
export const toFileId = (text: string): string => text.replaceAll('-', '').toLowerCase();
/** Whether a text may be the id of a file. */
export const isFileId = (id: string): boolean => FILE_ID.test(id);
