/** Longest name of a folder, characters. */
const MAX_TITLE = 255;

/** The name of a person as one of a folder: what names of folders must not have is left out. */
export const toFolderTitle = (name: string): string =>
  name
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f-\u009f/\\<>:?*"|]+/g, ' ')
    .trim()
    .slice(0, MAX_TITLE)
    .trim();
