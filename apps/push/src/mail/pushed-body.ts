import { PushErrors } from '@groupware/contracts';

/** Members beside the mail. */
export interface PushedMembers {
  readonly event?: unknown;
  readonly user?: unknown;
  readonly folder?: unknown;
}

/** Most bytes of everything that is not the mail. */
const MAX_REST_BYTES = 65_536;
/** The text of a mail is handed on in pieces of about this size. */
const PIECE = 65_536;
const [QUOTE, BACKSLASH, COLON, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [...Buffer.from('"\\:,{}[]')] as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** A piece of a JSON string ends within an escape, or between the two halves of a character. */
const UNFINISHED = /(?<!\\)(?:\\\\)*((?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3})?)?)$/;

/** Decodes the inside of a JSON string that comes in pieces. */
class StringDecoder {
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true });
  private waiting = '';

  push(raw: Uint8Array, isLast: boolean): Buffer {
    let text: string;
    try {
      text = this.waiting + this.utf8.decode(raw, { stream: !isLast });
    } catch {
      throw PushErrors.badMail('not UTF-8');
    }
    // Twelve characters hold the longest unfinished end; a run of backslashes may be longer, and is even or odd.
    const held = isLast ? '' : unfinishedEnd(text);
    this.waiting = held;
    return Buffer.from(parse(`"${held ? text.slice(0, -held.length) : text}"`) as string);
  }
}

function unfinishedEnd(text: string): string {
  let start = text.length - 12;
  // Look from the beginning of a run of backslashes: only there it is known which of them escapes what.
  while (start > 0 && text[start - 1] === '\\') start--;
  return UNFINISHED.exec(text.slice(Math.max(0, start)))?.[1] ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw PushErrors.badMail('no JSON object');
  }
}

/**
 * The JSON of a pushed mail, read as it comes: the mail in `body` is handed on in pieces, everything else is small and
 * parsed at the end. Memory does not grow with the mail.
 */
export class PushedBody {
  private found: PushedMembers | undefined;

  constructor(private readonly source: AsyncIterable<Uint8Array>) {}

  /** Members beside the mail; known once the mail was read to its end. */
  get members(): PushedMembers {
    // eslint-disable-next-line groupware/no-stray-errors -- a bug of the caller
    if (!this.found) throw new Error('the mail was not read to its end');
    return this.found;
  }

  /** The mail. @throws PNS-9010 for what is no JSON object with the mail in it */
  async *mail(): AsyncGenerator<Buffer> {
    const rest: Buffer[] = [];
    let restBytes = 0;
    const keep = (bytes: Uint8Array): void => {
      restBytes += bytes.length;
      if (restBytes > MAX_REST_BYTES) throw PushErrors.badMail('too much beside the mail');
      rest.push(Buffer.from(bytes));
    };
    let decoder: StringDecoder | undefined;
    let isInString = false;
    let isEscaped = false;
    let depth = 0;
    let awaitsKey = false;
    let awaitsValue = false;
    let key: string | undefined;
    let keyParts: Buffer[] | undefined;
    let count = 0;
    for await (const part of this.source) {
      let from = 0;
      for (let at = 0; at < part.length; at++) {
        const byte = part[at]!;
        if (isInString) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) {
            isInString = false;
            if (decoder) {
              yield decoder.push(part.subarray(from, at), true);
              decoder = undefined;
              from = at;
            } else if (keyParts) {
              keyParts.push(Buffer.from(part.subarray(from, at + 1)));
              keep(part.subarray(from, at + 1));
              key = String(parse(Buffer.concat(keyParts).toString()));
              keyParts = undefined;
              from = at + 1;
            }
          } else if (decoder && at - from >= PIECE) {
            yield decoder.push(part.subarray(from, at), false);
            from = at;
          }
          continue;
        }
        if (byte === QUOTE) {
          isInString = true;
          if (depth === 1 && awaitsKey) {
            keep(part.subarray(from, at));
            from = at;
            keyParts = [];
          } else if (depth === 1 && awaitsValue && key === 'body') {
            if (count++ > 0) throw PushErrors.badMail('two members body');
            keep(part.subarray(from, at + 1));
            from = at + 1;
            decoder = new StringDecoder();
          }
          awaitsKey = awaitsValue = false;
        } else if (byte === OPEN || byte === OPEN_LIST) {
          depth++;
          awaitsKey = depth === 1 && byte === OPEN;
          awaitsValue = false;
        } else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
        else if (depth === 1 && byte === COMMA) awaitsKey = true;
        else if (depth === 1 && byte === COLON) awaitsValue = true;
        else if (!SPACE.has(byte)) awaitsValue = false;
      }
      const left = part.subarray(from);
      if (decoder) yield decoder.push(left, false);
      else {
        keyParts?.push(Buffer.from(left));
        keep(left);
      }
    }
    const object = parse(Buffer.concat(rest).toString());
    if (typeof object !== 'object' || object === null || Array.isArray(object))
      throw PushErrors.badMail('no JSON object');
    if (count === 0) throw PushErrors.badMail('the member body is missing');
    this.found = object;
  }
}
