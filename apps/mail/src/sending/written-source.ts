import { MailErrors } from '@groupware/contracts';
import { readSource, toHeaderBlock, withoutHeader } from '../domain/mail-source';
import type { OutgoingFile } from './outgoing-files';

/** How a mail is written. */
export interface WritingOptions {
  /** Most bytes of it. */
  readonly maxBytes: number;
  /** It leaves without the names of those whom the others do not see. */
  readonly hidesBlindCopies: boolean;
  /** It is kept as it was written, to be read afterwards. */
  readonly isKept: boolean;
}

/** Bytes of a line in base64, and those that it stands for. */
const LINE = { encoded: 78, bytes: 57 };
const HEADER_END = '\r\n\r\n';

/** Size of a file within a mail, bytes: all but mails are encoded. */
export const encodedSize = ({ type, sizeBytes }: Pick<OutgoingFile, 'type' | 'sizeBytes'>): number =>
  type === 'message/rfc822' ? sizeBytes : Math.ceil(sizeBytes / LINE.bytes) * LINE.encoded;

/** The source of a mail that leaves while it is written, once. */
export class WrittenSource {
  private readonly kept: Uint8Array[] = [];
  private sizeBytes = 0;
  private problem: unknown;

  constructor(
    private readonly open: () => AsyncIterable<Uint8Array>,
    private readonly options: WritingOptions,
  ) {}

  /** Why it could not be written to its end; undefined while nothing went wrong. */
  get failure(): unknown {
    return this.problem;
  }

  /** Writes it as it leaves. @throws MSG-0088 when it gets too large, and what its files throw */
  async *write(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.options.hidesBlindCopies ? withoutBlindCopies(this.writeWhole()) : this.writeWhole();
    } catch (error) {
      this.problem = error;
      throw error;
    }
  }

  /** All that was written, as its author keeps it. */
  readCopy(): Buffer {
    return Buffer.concat(this.kept);
  }

  private async *writeWhole(): AsyncGenerator<Uint8Array> {
    const { maxBytes, isKept } = this.options;
    for await (const piece of this.open()) {
      this.sizeBytes += piece.length;
      if (this.sizeBytes > maxBytes) throw MailErrors.mailTooLarge(maxBytes);
      if (isKept) this.kept.push(piece);
      yield piece;
    }
  }
}

/** Only the headers are written anew: the files may be long. */
async function* withoutBlindCopies(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of source) {
    if (!head) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (!head.includes(HEADER_END)) continue;
    yield* visibleParts(head);
    head = undefined;
  }
  if (head) yield* visibleParts(head);
}

async function* visibleParts(source: Buffer): AsyncGenerator<Uint8Array> {
  const { headers, rest } = withoutHeader(await readSource(source), 'bcc');
  yield toHeaderBlock({ headers });
  yield rest;
}
