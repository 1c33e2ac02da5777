import { fileHeaders } from '../output/file-headers';
import { sendStream } from '../output/send';
import type { Exchange } from './exchange';
import type { EdgeLog, FileBytes, RawAnswer } from './ports';

/** Streams files that services answered by reference. */
export class FileSender {
  constructor(
    private readonly store: FileBytes,
    private readonly log: EdgeLog,
    private readonly idleMs: number,
  ) {}

  /**
   * Sends the file of an answer; the store's first bytes are awaited before the head is written, so that a missing file is
   * still an error the client can read. A temporary file is removed afterwards, also when the client went away.
   */
  async send(exchange: Exchange, answer: RawAnswer, headers: readonly string[]): Promise<void> {
    const file = answer.file!;
    try {
      const bytes = this.store.read(file.reference)[Symbol.asyncIterator]();
      const head = await bytes.next();
      const list = fileHeaders(file).flat();
      // A header of the service (an ETag, another cache rule) replaces ours.
      const own = new Set(headers.filter((_part, index) => index % 2 === 0).map((name) => name.toLowerCase()));
      const kept = list.filter((_part, index) => !own.has(list[index - (index % 2)]!.toLowerCase()));
      exchange.response.writeHead(answer.status ?? 200, [...kept, ...headers]);
      if (exchange.request.method === 'HEAD') {
        exchange.response.end();
        await bytes.return?.();
        return;
      }
      exchange.bytesSent = await sendStream(exchange.response, resumed(head, bytes), this.idleMs);
    } finally {
      await this.discard(answer);
    }
  }

  /** Removes the temporary file of an answer that nobody reads. */
  async discard(answer: RawAnswer): Promise<void> {
    if (!answer.file?.temporary) return;
    try {
      await this.store.remove(answer.file.reference);
    } catch (err) {
      this.log.warn({ err, reference: answer.file.reference }, 'temporary file was not removed');
    }
  }
}

async function* resumed(head: IteratorResult<Uint8Array>, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    if (head.done) return;
    yield head.value;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
