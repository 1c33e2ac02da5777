/** One property of a vCard (RFC 6350 §3.3). */
export interface CardProperty {
  /** Group as it is written. */
  readonly group?: string;
  /** Upper case. */
  readonly name: string;
  /** Values by name in lower case. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  /** In the notation of RFC 6350: texts are escaped, bytes are base64. */
  readonly value: string;
}

/** Versions of the format. */
export type CardVersion = '2.1' | '3.0' | '4.0';

/** A vCard without BEGIN, VERSION and END. */
export interface Card {
  /** The version it was read from. */
  readonly version: CardVersion;
  readonly properties: readonly CardProperty[];
}

/** Why a card could not be read. */
export type CardErrorReason = 'unclosed' | 'unknown-version' | 'too-large' | 'empty';

/** Something that was left out or repaired; the card is usable. */
export interface CardWarning {
  readonly code: 'malformed-line' | 'missing-version' | 'invalid-date';
  /** English, technical. */
  readonly message: string;
  /** Field of the contact that is missing for it. */
  readonly field?: string;
  /** Line of the file, from 1. */
  readonly line?: number;
}

/** The result for one card of a file: either `card` or `error` is present. */
export interface ReadCard {
  /** Position among the cards of the file, from 0. */
  readonly index: number;
  /** Line of the BEGIN, from 1. */
  readonly line: number;
  readonly card?: Card;
  readonly error?: { readonly reason: CardErrorReason; readonly message: string };
  /** At most 50. */
  readonly warnings: readonly CardWarning[];
}
