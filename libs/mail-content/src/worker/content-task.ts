import type { FeedOptions } from '../feed/read-feed';
import type { SanitizeOptions } from '../html/sanitize-html';
import type { TextOptions } from '../text/text-to-html';

/** Markup of a text that is shown as HTML. */
export type Markup = 'enriched' | 'richtext' | 'rtf' | 'compressedRtf';

/** Text of a part as it came from the server, without its transfer encoding. */
export interface EncodedText {
  bytes: Uint8Array;
  charset?: string;
  /** RFC 3676: soft line breaks are joined; `delSp` also removes the space before them. */
  flowed?: boolean;
  delSp?: boolean;
  /** Markup other than HTML: the text is converted first. */
  markup?: Markup;
}

/** Most characters of the result; longer content is cut where it can be, and told by `isTruncated`. */
interface Limited {
  maxLength?: number;
}

/** Task of a thread on the text of parts. */
export type ContentTask =
  | ({ kind: 'sanitizeHtml'; text: EncodedText; options: SanitizeOptions } & Limited)
  | ({ kind: 'textToHtml'; texts: EncodedText[]; options: TextOptions } & Limited)
  | ({ kind: 'htmlToText'; text: EncodedText } & Limited)
  | ({ kind: 'decodeText'; texts: EncodedText[] } & Limited)
  /** Its content is the feed as JSON. */
  | { kind: 'readFeed'; text: EncodedText; options: FeedOptions };

/** Text for the client. */
export interface ContentResult {
  content: string;
  /** Something was cut. */
  isTruncated: boolean;
  /** Pictures of other servers were left out. */
  hasBlockedImages: boolean;
  /** Content-IDs of parts that the content shows. */
  shownCids: string[];
}
