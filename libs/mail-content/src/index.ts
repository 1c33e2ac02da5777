export { ComposeError, type ComposeFailure } from './compose/compose-error';
export { composeMail, type ComposedFile, type ComposedMail, type ComposeInput } from './compose/compose-mail';
export { composeReceipt, type ReceiptInput } from './compose/receipt';
export { normalizeAddress, readRecipients } from './compose/recipients';
export {
  createForward,
  createReply,
  createReplyToAll,
  createThreadHeaders,
  findOwnRecipient,
  readThreadHeaders,
  type MailThreadHeaders,
  type OriginalMail,
  type PreparedMail,
  type ReplyOptions,
} from './compose/reply';
export { type Feed, type FeedItem, type FeedOptions } from './feed/read-feed';
export { joinMailHtml, sanitizeMailHtml, type SanitizedHtml, type SanitizeOptions } from './html/sanitize-html';
export { findPart, openAttachment, type AttachmentContent } from './message/attachments';
export { hasAttachments, markupOf, type BodyView } from './message/body-selection';
export { openEncodedMessages } from './message/encoded-messages';
export { filenameOf, findUnquotedName, makeFilename } from './message/filename';
export { decodeWords, MailHeaders, parseAddresses } from './message/headers';
export { listTextFiles } from './message/inner-files';
export { MessageError, type MessageFailure } from './message/message-error';
export { parseMessage } from './message/parsed-source';
export { measurePart, readPartRange, type PartLayout } from './message/part-range';
export {
  fromBodyStructure,
  selectPart,
  type BodyStructure,
  type MessagePart,
  type PartSource,
} from './message/part-source';
export { decodePartText } from './message/part-text';
export { createPreview, findPreviewPart, type PreviewPart } from './message/preview';
export { describeHeader, readMail, type ReadMail } from './message/read-mail';
export type { ReadOptions } from './message/read-options';
export { parseTnef, type TnefContent, type TnefFile } from './message/tnef';
export { decodeTransferEncoding } from './message/transfer-encoding';
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
