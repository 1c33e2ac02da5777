/** Data that a camera wrote into a picture; those it did not, or not well, are absent. */
export interface CameraData {
  /** ms UTC; without a zone of its own the time is taken as UTC. */
  readonly captured?: number;
  /** Degrees, north and east positive. */
  readonly latitude?: number;
  readonly longitude?: number;
  readonly model?: string;
  readonly isoSpeed?: number;
  readonly aperture?: number;
  /** s */
  readonly exposureTime?: number;
  /** mm */
  readonly focalLength?: number;
}

const TAGS = {
  model: 0x0110,
  exif: 0x8769,
  gps: 0x8825,
  exposureTime: 0x829a,
  aperture: 0x829d,
  isoSpeed: 0x8827,
  captured: 0x9003,
  offset: 0x9011,
  focalLength: 0x920a,
} as const;
const GPS = { latitudeRef: 1, latitude: 2, longitudeRef: 3, longitude: 4 } as const;
/** Bytes of a value, by type: byte, text, short, long, rational. Others are not read. */
const SIZES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8 };
/** Most entries of a directory, and values of an entry: cameras write far fewer. */
const MOST = { entries: 500, values: 200 } as const;
const DATE = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/;
const OFFSET = /^[+-]\d\d:\d\d$/;

type Directory = ReadonlyMap<number, string | readonly number[]>;

/** Reads the data block of a picture (Exif 2.32, section 4). Lengths and places within it are never trusted. */
export function readCameraData(block: Buffer): CameraData {
  const bytes = block.subarray(0, 4).toString('latin1') === 'Exif' ? block.subarray(6) : block;
  const order = bytes.subarray(0, 2).toString('latin1');
  if (bytes.length < 8 || (order !== 'II' && order !== 'MM')) return {};
  const reader = new BlockReader(bytes, order === 'II');
  const root = reader.readDirectory(reader.uint32(4));
  const below = (tag: number) => reader.readDirectory(firstOf(root, tag));
  const [exif, gps] = [below(TAGS.exif), below(TAGS.gps)];
  const found = {
    captured: toTime(textOf(exif, TAGS.captured), textOf(exif, TAGS.offset)),
    latitude: toDegrees(gps, GPS.latitude, textOf(gps, GPS.latitudeRef), 90),
    longitude: toDegrees(gps, GPS.longitude, textOf(gps, GPS.longitudeRef), 180),
    model: textOf(root, TAGS.model)?.slice(0, 255),
    isoSpeed: firstOf(exif, TAGS.isoSpeed),
    aperture: firstOf(exif, TAGS.aperture),
    exposureTime: firstOf(exif, TAGS.exposureTime),
    focalLength: firstOf(exif, TAGS.focalLength),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

class BlockReader {
  constructor(
    private readonly bytes: Buffer,
    private readonly isLittle: boolean,
  ) {}

  uint32(at: number): number {
    return this.isLittle ? this.bytes.readUInt32LE(at) : this.bytes.readUInt32BE(at);
  }

  private uint16(at: number): number {
    return this.isLittle ? this.bytes.readUInt16LE(at) : this.bytes.readUInt16BE(at);
  }

  /** The entries of a directory that can be read; none where there is no directory. */
  readDirectory(at: number | undefined): Directory {
    const entries = new Map<number, string | readonly number[]>();
    if (at === undefined || at < 8 || at + 2 > this.bytes.length) return entries;
    const count = Math.min(this.uint16(at), MOST.entries);
    for (let index = 0; index < count; index++) {
      const entry = at + 2 + 12 * index;
      if (entry + 12 > this.bytes.length) break;
      const value = this.readValue(entry);
      if (value !== undefined) entries.set(this.uint16(entry), value);
    }
    return entries;
  }

  private readValue(entry: number): string | readonly number[] | undefined {
    const [type, count] = [this.uint16(entry + 2), this.uint32(entry + 4)];
    const size = SIZES[type];
    if (size === undefined || count === 0 || count > MOST.values) return undefined;
    const start = size * count > 4 ? this.uint32(entry + 8) : entry + 8;
    if (start + size * count > this.bytes.length) return undefined;
    // Texts end with NUL.
    if (type === 2)
      return this.bytes
        .toString('latin1', start, start + count)
        .replace(/\p{Cc}+/gu, ' ')
        .trim();
    return Array.from({ length: count }, (_none, index) => this.readNumber(type, start + size * index));
  }

  private readNumber(type: number, at: number): number {
    if (type === 1) return this.bytes[at]!;
    if (type === 3) return this.uint16(at);
    return type === 4 ? this.uint32(at) : this.uint32(at) / this.uint32(at + 4);
  }
}

function textOf(directory: Directory, tag: number): string | undefined {
  const value = directory.get(tag);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function firstOf(directory: Directory, tag: number): number | undefined {
  const value = directory.get(tag);
  return Array.isArray(value) && Number.isFinite(value[0]) ? (value[0] as number) : undefined;
}

function toTime(text: string | undefined, offset: string | undefined): number | undefined {
  const found = DATE.exec(text ?? '');
  if (!found) return undefined;
  const [, year, month, day, time] = found;
  const zone = offset !== undefined && OFFSET.test(offset) ? offset : 'Z';
  const ms = Date.parse(`${year}-${month}-${day}T${time}${zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Degrees of three numbers: degrees, minutes and seconds. */
function toDegrees(directory: Directory, tag: number, ref: string | undefined, most: number): number | undefined {
  const parts = directory.get(tag);
  if (!Array.isArray(parts) || parts.length !== 3 || ref === undefined) return undefined;
  const [degrees, minutes, seconds] = parts as readonly number[];
  const value = degrees! + minutes! / 60 + seconds! / 3600;
  if (!Number.isFinite(value) || value > most) return undefined;
  return Number((ref === 'S' || ref === 'W' ? -value : value).toFixed(6));
}
