import { archiveOf } from '../output/archive';
import { isKnown, isOther, isSameVersion, rangeOf, type WantedRange } from '../output/byte-ranges';
import { fileHeaders } from '../output/file-headers';
import { sendStream } from '../output/send';
import type { Exchange } from './exchange';
import type { EdgeLog, FileBytes, RawAnswer, RepliedFile } from './ports';

type Header = readonly [name: string, value: string];

/** What is sent: status, length, and where the bytes begin and end in the stored file. */
interface Shipment {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Absent: the whole file. */
  readonly range?: WantedRange;
  readonly empty?: boolean;
}

/** Streams files that services answered by reference. */
export class FileSender {
  constructor(
    private readonly store: FileBytes,
    private readonly log: EdgeLog,
  ) {}

  /**
   * Sends the file of an answer; the store's first bytes are awaited before the head is written, so that a missing file is
   * still an error the client can read. A temporary file is removed afterwards, also when the client went away.
   * Conditions and one range are kept (RFC 9110 sections 13 and 14) where the service gave an ETag and the size is known.
   */
  async send(exchange: Exchange, answer: RawAnswer, headers: readonly string[]): Promise<void> {
    const file = answer.file!;
    try {
      const own = pairsOf(headers);
      const shipment = shipmentOf(exchange, file, answer.status ?? 200, etagOf(own));
      const bytes = this.bytesOf(file, shipment)[Symbol.asyncIterator]();
      const head = await bytes.next();
      // A header of the service (an ETag, another cache rule) replaces ours.
      const replaced = new Set(own.map(([name]) => name.toLowerCase()));
      const list = [...fileHeaders(file), ...shipment.headers].filter(([name]) => !replaced.has(name.toLowerCase()));
      const last = new Map(list.map(([name, value]) => [name, value]));
      if (shipment.status === 304 || (shipment.empty && shipment.status !== 200)) last.delete('Content-Type');
      exchange.response.writeHead(shipment.status, [...last, ...own].flat());
      if (exchange.request.method === 'HEAD') {
        exchange.response.end();
        await bytes.return?.();
        return;
      }
      await sendStream(exchange, resumed(head, bytes));
    } finally {
      await this.discard(answer);
    }
  }

  private bytesOf(file: RepliedFile, { range, empty }: Shipment): AsyncIterable<Uint8Array> {
    if (empty) return none();
    if (file.archive) return archiveOf(file.archive, this.store);
    return range ? this.store.read(file.reference, range) : this.store.read(file.reference);
  }

  /** Removes the temporary file of an answer that nobody reads. */
  async discard(answer: RawAnswer): Promise<void> {
    if (!answer.file?.temporary) return;
    try {
      await this.store.discard(answer.file.reference);
    } catch (err) {
      this.log.warn({ err, reference: answer.file.reference }, 'temporary file was not removed');
    }
  }
}

function shipmentOf(exchange: Exchange, file: RepliedFile, status: number, etag: string | undefined): Shipment {
  const { headers } = exchange.request;
  if (isOther(headers['if-match'], etag)) return { status: 412, headers: [['Content-Length', '0']], empty: true };
  if (isKnown(headers['if-none-match'], etag)) return { status: 304, headers: [], empty: true };
  const base = file.part?.start ?? 0;
  const size = file.part?.length ?? file.sizeBytes;
  if (file.archive || file.temporary || size === undefined || status !== 200) return { status, headers: [] };
  const length = (bytes: number): Header => ['Content-Length', String(bytes)];
  const ranges: Header = ['Accept-Ranges', 'bytes'];
  const wanted = isSameVersion(first(headers['if-range']), etag) ? rangeOf(headers.range, size) : undefined;
  if (wanted === 'unsatisfiable')
    return { status: 416, headers: [['Content-Range', `bytes */${size}`], length(0)], empty: true };
  if (wanted)
    return {
      status: 206,
      headers: [
        ranges,
        ['Content-Range', `bytes ${wanted.start}-${wanted.end}/${size}`],
        length(wanted.end - wanted.start + 1),
      ],
      range: { start: base + wanted.start, end: base + wanted.end },
    };
  if (size === 0) return { status, headers: [ranges, length(0)], empty: file.part !== undefined };
  return {
    status,
    headers: [ranges, length(size)],
    ...(file.part ? { range: { start: base, end: base + size - 1 } } : {}),
  };
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

const pairsOf = (flat: readonly string[]): Header[] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]!] as const] : []));

const etagOf = (headers: readonly Header[]): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === 'etag')?.[1];

async function* none(): AsyncGenerator<Uint8Array> {
  // Nothing to send.
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
