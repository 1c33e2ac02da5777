/** Stands before each name of a path: names of folders may have slashes, but no control characters. */
export const PATH_SEPARATOR = '\u001f';

/** The path of the names of folders, from the top. */
export const toFolderPath = (names: readonly string[]): string =>
  names.map((name) => `${PATH_SEPARATOR}${name}`).join('');

/** The names of a path, from the top. Paths begin with what separates their names: in older ones that is a slash. */
export const splitFolderPath = (path: string): string[] => path.split(path.charAt(0)).filter((name) => name !== '');

/** A path as clients are told it: with slashes. */
export const formatFolderPath = (path: string): string => path.replaceAll(PATH_SEPARATOR, '/');
