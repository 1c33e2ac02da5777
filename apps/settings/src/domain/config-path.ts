/** A path as it stands in an address, without slashes at its ends. */
export const normalizePath = (path = ''): string => path.replace(/^\/+|(?<!\/)\/+$/g, '');
