import { randomBytes } from 'node:crypto';
import { createArchive } from '@groupware/file-store';
import { isKnown, isOther, isSameVersion, isUnmodified, rangesOf, type WantedRange } from '@groupware/service-kit';
import { fileHeaders } from '../output/file-headers';
import { sendStream } from '../output/send';
import type { Exchange } from './exchange';
import type { EdgeLog, FileBytes, RawAnswer, RepliedFile } from './ports';

type Header = readonly [name: string, value: string];

/** Parts of an answer with a file: status, length, and where the bytes begin and end in the stored file. */
interface Shipment {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Absent: the whole file. */
  readonly range?: WantedRange;
  /** Several parts of the file, each after its head. */
  readonly parts?: readonly ShippedPart[];
  readonly empty?: boolean;
}

/** A part of an answer of several ranges (RFC 9110 section 14.6). */
interface ShippedPart {
  readonly head: Buffer;
  /** Absent for the end. */
  readonly range?: WantedRange;
}

/** Streams files that services answered by reference, and those that come as the bodies of answers. */
export class FileSender {
  constructor(
    private readonly store: FileBytes,
    private readonly log: EdgeLog,
  ) {}

  /**
   * Sends the file of an answer; the store's first bytes are awaited before the head is written, so that a missing file is
   * still an error the client can read. A temporary file is removed afterwards, also when the client went away.
   * Conditions and ranges are kept (RFC 9110 sections 13 and 14) where the service gave an ETag and the size is known.
   */
  async send(exchange: Exchange, answer: RawAnswer, headers: readonly string[]): Promise<void> {
    const file = answer.file!;
    try {
      const own = pairsOf(headers);
      const validators = { etag: valueOf(own, 'etag'), modified: valueOf(own, 'last-modified') };
      const shipment = shipmentOf(exchange, file, answer.status ?? 200, validators);
      const bytes = this.bytesOf(answer, shipment)[Symbol.asyncIterator]();
      const head = await bytes.next();
      // A header of the service (an ETag, another cache rule) replaces ours.
      const replaced = new Set(own.map(([name]) => name.toLowerCase()));
      if (shipment.parts) replaced.delete('content-type');
      const list = [...fileHeaders(file), ...shipment.headers].filter(([name]) => !replaced.has(name.toLowerCase()));
      const last = new Map(list.map(([name, value]) => [name, value]));
      if (shipment.status === 304 || (shipment.empty && shipment.status !== 200)) last.delete('Content-Type');
      exchange.response.writeHead(shipment.status, [...last, ...own].flat());
      if (exchange.request.method === 'HEAD') {
        exchange.response.end();
        await bytes.return?.();
        return;
      }
      if (shipment.empty) await bytes.return?.();
      await sendStream(exchange, shipment.empty ? none() : resumeParts(head, bytes));
    } finally {
      await this.discard(answer);
    }
  }

  private bytesOf({ file, body }: RawAnswer, { range, parts, empty }: Shipment): AsyncIterable<Uint8Array> {
    // A stream that is not wanted is begun and ended, which tells the service.
    if (file?.streamed) return body instanceof Uint8Array ? only(body) : body;
    if (empty || !file) return none();
    if (file.archive)
      return createArchive(file.archive.map((entry) => ({ ...entry, open: () => this.store.read(entry.reference) })));
    if (parts) return this.readParts(file.reference, parts);
    return range ? this.store.read(file.reference, range) : this.store.read(file.reference);
  }

  /** A head comes after the first bytes of its part are there: a missing file is still an error then. */
  private async *readParts(reference: string, parts: readonly ShippedPart[]): AsyncGenerator<Uint8Array> {
    for (const { head, range } of parts) {
      if (!range) yield head;
      let isFirst = true;
      for await (const bytes of range ? this.store.read(reference, range) : none()) {
        if (isFirst) yield head;
        isFirst = false;
        yield bytes;
      }
    }
  }

  /** Removes the temporary file of an answer that no client reads. */
  async discard(answer: RawAnswer): Promise<void> {
    if (!answer.file?.temporary) return;
    try {
      await this.store.discard(answer.file.reference);
    } catch (err) {
      this.log.warn({ err, reference: answer.file.reference }, 'temporary file was not removed');
    }
  }
}

/** Headers that tell one state of a file from others (RFC 9110 section 8.8). */
interface Validators {
  readonly etag: string | undefined;
  /** As in the header Last-Modified. */
  readonly modified: string | undefined;
}

function shipmentOf(exchange: Exchange, file: RepliedFile, status: number, { etag, modified }: Validators): Shipment {
  const { headers } = exchange.request;
  if (isOther(headers['if-match'], etag)) return { status: 412, headers: [['Content-Length', '0']], empty: true };
  if (isKnown(headers['if-none-match'], etag)) return { status: 304, headers: [], empty: true };
  // Dates count where no tag is named (RFC 9110 section 13.1.3).
  if (headers['if-none-match'] === undefined && isUnmodified(headers['if-modified-since'], modified))
    return { status: 304, headers: [], empty: true };
  if (file.streamed) return streamedShipmentOf(file, status);
  const base = file.part?.start ?? 0;
  const size = file.part?.length ?? file.sizeBytes;
  if (file.archive || file.temporary || size === undefined || status !== 200) return { status, headers: [] };
  const length = (bytes: number): Header => ['Content-Length', String(bytes)];
  if (size === 0) return { status, headers: [['Accept-Ranges', 'none'], length(0)], empty: file.part !== undefined };
  const ranges: Header = ['Accept-Ranges', 'bytes'];
  const several = isSameVersion(first(headers['if-range']), etag) ? rangesOf(headers.range, size) : undefined;
  if (several === 'unsatisfiable')
    return { status: 416, headers: [['Content-Range', `bytes */${size}`], length(0)], empty: true };
  if (several && several.length > 1) return partsOf(file, several, { base, size });
  const wanted = several?.[0];
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
  return {
    status,
    headers: [ranges, length(size)],
    ...(file.part ? { range: { start: base, end: base + size - 1 } } : {}),
  };
}

/** An answer with several ranges of a file. */
function partsOf(
  file: RepliedFile,
  ranges: readonly WantedRange[],
  { base, size }: { readonly base: number; readonly size: number },
): Shipment {
  const boundary = randomBytes(18).toString('hex');
  const type = new Map(fileHeaders(file)).get('Content-Type')!;
  const parts: ShippedPart[] = ranges.map(({ start, end }) => ({
    head: Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: bytes ${start}-${end}/${size}\r\n\r\n`,
    ),
    range: { start: base + start, end: base + end },
  }));
  parts.push({ head: Buffer.from(`\r\n--${boundary}--\r\n`) });
  const length = parts.reduce(
    (sum, { head, range }) => sum + head.length + (range ? range.end - range.start + 1 : 0),
    0,
  );
  return {
    status: 206,
    headers: [
      ['Accept-Ranges', 'bytes'],
      ['Content-Type', `multipart/byteranges; boundary=${boundary}`],
      ['Content-Length', String(length)],
    ],
    parts,
  };
}

/** Of a stream the service has chosen the range. */
function streamedShipmentOf({ sizeBytes, range }: RepliedFile, status: number): Shipment {
  if (range)
    return {
      status: 206,
      headers: [
        ['Accept-Ranges', 'bytes'],
        ['Content-Range', `bytes ${range.start}-${range.end}/${sizeBytes ?? '*'}`],
        ['Content-Length', String(range.end - range.start + 1)],
      ],
    };
  const length: Header[] = sizeBytes === undefined ? [] : [['Content-Length', String(sizeBytes)]];
  return { status, headers: status === 200 ? [['Accept-Ranges', 'bytes'], ...length] : length };
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

const pairsOf = (flat: readonly string[]): Header[] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]!] as const] : []));

const valueOf = (headers: readonly Header[], wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

async function* none(): AsyncGenerator<Uint8Array> {
  // Nothing to send.
}

async function* resumeParts(
  head: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    if (head.done) return;
    yield head.value;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
