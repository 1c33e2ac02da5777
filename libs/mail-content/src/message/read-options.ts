import type { BodyView } from './body-selection';

/** How a mail is shown. */
export interface ReadOptions {
  /** `noimg` is `html` without pictures of other servers. */
  view: BodyView | 'noimg';
  /** The HTML stands inside the client's page. */
  embedded?: boolean;
  /** Longest text shown, characters. */
  maxLength?: number;
  /** So much of a text part is read, bytes. */
  maxBodyBytes?: number;
  /** Bytes of files are counted, which reads them. */
  exactSizes?: boolean;
  /** false: of mails within the mail only the ids are told. */
  nestedMessages?: boolean;
  /** Lines of plain text that begin with `>` become blockquotes; a function is asked once there is such a text. */
  colorQuotes?: boolean | (() => Promise<boolean>);
  /** Plain text stays plain text, for an editor. */
  isPlainTextRaw?: boolean;
  /** Links lose their address. */
  neutralizeLinks?: boolean;
  /** URL of parts shown in the text, to which their Content-ID is added. */
  cidUrlPrefix?: string;
  /** Inline pictures that no text refers to follow the text, where it is HTML. */
  appendsPictures?: boolean;
  /** URL through which pictures of other servers are fetched, to which theirs is added. */
  imageProxyPrefix?: string;
  /** Times are told as this makes them of ms UTC; default: as they are. */
  toLocalTime?: (instant: number) => number;
  /** Stands in place of text that could not be shown. */
  failureText?: string;
}
