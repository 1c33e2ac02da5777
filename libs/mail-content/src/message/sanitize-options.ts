import type { SanitizeOptions } from '../html/sanitize-html';
import type { ReadOptions } from './read-options';

/** How the HTML of a mail is made safe for a view. */
export function sanitizeOptionsFor(options: ReadOptions, cids: readonly string[]): SanitizeOptions {
  return {
    blockImages: options.view === 'noimg',
    embedded: options.embedded === true,
    neutralizeLinks: options.neutralizeLinks === true,
    cids,
    ...(options.cidUrlPrefix === undefined ? {} : { cidUrlPrefix: options.cidUrlPrefix }),
    ...(options.imageProxyPrefix === undefined ? {} : { imageProxyPrefix: options.imageProxyPrefix }),
  };
}
