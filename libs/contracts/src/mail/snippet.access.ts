import { defineRights, readRight, writeRight } from '../kit';

/** Rights on snippets. */
export const SNIPPET_RIGHTS = defineRights('snippet', {
  read: readRight('own snippets, and those that others of the context share'),
  write: writeRight('own snippets'),
});
