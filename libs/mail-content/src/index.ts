export { sanitizeMailHtml, type SanitizedHtml, type SanitizeOptions } from './html/sanitize-html';
export { decodeCharset } from './text/charset';
export { escapeHtml, textToHtml, type TextOptions } from './text/text-to-html';
export type { ContentResult, ContentTask, EncodedText } from './worker/content-task';
export {
  ContentError,
  ContentWorkers,
  DEFAULT_CONTENT_LIMITS,
  type ContentFailure,
  type ContentLimits,
} from './worker/content-workers';
