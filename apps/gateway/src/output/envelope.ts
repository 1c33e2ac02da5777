import { errorObject, type CatalogueError, type ErrorObject } from '@groupware/contracts';

const DATA = Buffer.from('{"data":');
const NO_DATA = Buffer.from('{}');
const NOTHING = Buffer.alloc(0);

/** Members of an envelope beside the data. */
export interface EnvelopeParts {
  /** Newest change stamp, ms UTC. */
  readonly timestamp?: number;
  readonly warnings?: readonly CatalogueError[];
  readonly locale: string;
}

/** Error object of a warning: its category is always WARNING, as the API writes it. */
function warningObject(warning: CatalogueError, locale: string): ErrorObject {
  return { ...errorObject(warning, locale), categories: 'WARNING', category: 13 };
}

/**
 * The end of an envelope after its data. With warnings the fields of the first one are written at the top level too:
 * existing clients look for them there.
 * @param first true when no data was written before
 */
function envelopeTail({ timestamp, warnings, locale }: EnvelopeParts, first: boolean): string {
  let rest = timestamp === undefined ? '' : `,"timestamp":${timestamp}`;
  if (warnings && warnings.length > 0) {
    const objects = warnings.map((warning) => warningObject(warning, locale));
    rest += `,"warnings":${JSON.stringify(objects.length === 1 ? objects[0] : objects)}`;
    rest += `,${JSON.stringify(objects[0]).slice(1, -1)}`;
  }
  return (first && rest !== '' ? rest.slice(1) : rest) + '}';
}

/** Clients take the fields of a warning for those of an error where no data stands beside them. */
const needsData = ({ warnings }: EnvelopeParts): boolean => warnings !== undefined && warnings.length > 0;

/** The envelope around bytes that are JSON already; they are copied, never parsed. */
export function envelope(data: Uint8Array, parts: EnvelopeParts): Buffer {
  if (data.length === 0 && needsData(parts)) return envelope(NO_DATA, parts);
  if (data.length === 0) return Buffer.from(`{${envelopeTail(parts, true)}`);
  const tail = envelopeTail(parts, false);
  const tailLength = Buffer.byteLength(tail);
  const whole = Buffer.allocUnsafe(DATA.length + data.length + tailLength);
  DATA.copy(whole);
  whole.set(data, DATA.length);
  whole.write(tail, DATA.length + data.length);
  return whole;
}

/** Data beyond this size is sent as it is, bytes: copying it would cost more than one more piece to write. */
const COPIED_BYTES = 4_096;

/** The same as it is sent: in one piece, or around large data without a copy of it. */
export function envelopePieces(data: Uint8Array, parts: EnvelopeParts): readonly Uint8Array[] {
  if (data.length <= COPIED_BYTES) return [envelope(data, parts)];
  return [DATA, data, Buffer.from(envelopeTail(parts, false))];
}

/** The same for data that arrives in pieces. */
export async function* envelopeStream(
  data: AsyncIterable<Uint8Array>,
  parts: EnvelopeParts,
): AsyncIterable<Uint8Array> {
  let empty = true;
  for await (const part of data) {
    if (empty) yield DATA;
    empty = false;
    yield part;
  }
  if (empty) yield envelope(NOTHING, parts);
  else yield Buffer.from(envelopeTail(parts, false));
}

/** The envelope of a failed call. */
export function errorEnvelope(error: CatalogueError, locale: string, options: { stack?: boolean } = {}): Buffer {
  return Buffer.from(JSON.stringify(errorObject(error, locale, options)));
}
