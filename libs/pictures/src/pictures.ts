import { createHash } from 'node:crypto';
import type { PictureQuery } from '@groupware/contracts';
import { Turns } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { fileTypeFromBuffer } from 'file-type';
import sharp, { type Metadata, type ResizeOptions, type Sharp } from 'sharp';
import { readCameraData, type CameraData } from './exif';
import { PictureSettings } from './picture-settings';

/** A picture with its bytes. */
export interface Picture {
  /** By the bytes, not by what a client said. */
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Source of the bytes of what may be a picture. */
export interface PictureSource {
  /** Absent where it is not known. */
  readonly sizeBytes?: number | undefined;
  /** Opens the bytes, once. */
  open(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Description of a picture by itself. */
export interface PictureData extends CameraData {
  /** Of the upright picture. */
  readonly width: number;
  readonly height: number;
}

/** Formats of answers by the type that is read: all browsers draw these. Drawings that may run something are not read. */
const ANSWERED = new Map<string, 'jpeg' | 'png' | 'gif' | 'webp'>([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/avif', 'webp'],
  ['image/tiff', 'jpeg'],
]);
/** The names that the library has for those of the API; the others stay within the sides. */
const FITS = new Map<string, ResizeOptions['fit']>([
  ['cover', 'outside'],
  ['coverandcrop', 'cover'],
  ['containforcedimension', 'contain'],
]);
const JPEG = 'image/jpeg';
/** Sides beyond which nothing is scaled, as the API has it. */
const MAX_SIDE = 10_000;
const QUALITY = 85;
/** Of what is to be small rather than fine. */
const COMPRESSED_QUALITY = 60;
/** Sources that are read at a time: a slow one keeps no other waiting, and memory holds the bytes of few. */
const READ_AT_ONCE = 4;

const toPicture = (contentType: string, bytes: Buffer): Picture => ({
  contentType,
  bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** Says that bytes are no picture, or none that may be kept. */
export class PictureRefusal extends Error {}

/**
 * Reads and changes pictures. The library works in threads of its own; one picture at a time, so that memory holds the pixels of
 * one, and no more pixels than configured.
 */
@Injectable()
export class Pictures {
  private readonly reading = new Turns(READ_AT_ONCE);
  private readonly drawing = new Turns(1);

  constructor(private readonly settings: PictureSettings) {}

  /** A picture in the form in which it is asked for; undefined where it is to be shown as it is. */
  async transform(source: PictureSource, wanted: PictureQuery): Promise<Picture | undefined> {
    const { maxBytes, maxWaiting } = this.settings;
    if (!isOtherForm(wanted) || (source.sizeBytes ?? 0) > maxBytes || this.reading.waiting >= maxWaiting)
      return undefined;
    return this.reading.runInTurn(async () => {
      const bytes = await gather(source.open(), maxBytes);
      const format = bytes && ANSWERED.get((await fileTypeFromBuffer(bytes))?.mime ?? '');
      if (!format) return undefined;
      try {
        const drawn = await this.drawing.runInTurn(() => this.draw(bytes, wanted, format));
        return drawn && toPicture(`image/${format}`, drawn);
      } catch {
        // Broken, too large or too slow: what the library does not draw is shown as it is.
        return undefined;
      }
    });
  }

  /** Reads what a picture says about itself; undefined where it is none, or passes a limit. */
  async describe(source: PictureSource): Promise<PictureData | undefined> {
    const { maxBytes, maxPixels, maxWaiting } = this.settings;
    if ((source.sizeBytes ?? 0) > maxBytes || this.reading.waiting >= maxWaiting) return undefined;
    return this.reading.runInTurn(async () => {
      const bytes = await gather(source.open(), maxBytes);
      if (!bytes || !ANSWERED.has((await fileTypeFromBuffer(bytes))?.mime ?? '')) return undefined;
      try {
        const { autoOrient, exif } = await this.drawing.runInTurn(() => this.open(bytes).metadata());
        if (autoOrient.width * autoOrient.height > maxPixels) return undefined;
        return { ...autoOrient, ...(exif && readCameraData(exif)) };
      } catch {
        return undefined;
      }
    });
  }

  /**
   * A picture as it is stored: by its content one of some types, and scaled where both sides are larger than those given.
   * @throws PictureRefusal
   */
  async accept(
    bytes: Buffer,
    { types, width, height }: { readonly types: readonly string[]; readonly width: number; readonly height: number },
  ): Promise<Picture> {
    const contentType = (await fileTypeFromBuffer(bytes))?.mime ?? 'an unknown type';
    if (!types.includes(contentType)) throw new PictureRefusal(contentType);
    const found = await this.decode(contentType, () => this.open(bytes).metadata());
    if (found.width * found.height > this.settings.maxPixels)
      throw new PictureRefusal(`${contentType} of ${found.width} by ${found.height}`);
    if (found.width <= width || found.height <= height) {
      // All of it is decoded once: what is broken further down is not stored.
      await this.decode(contentType, () => this.open(bytes).stats());
      return toPicture(contentType, bytes);
    }
    const scaled = await this.decode(contentType, () =>
      this.open(bytes)
        .autoOrient()
        .resize({ width, height, fit: 'outside' })
        .flatten({ background: 'white' })
        .jpeg({ quality: QUALITY })
        .toBuffer(),
    );
    return toPicture(JPEG, scaled);
  }

  /** Turns, cuts and scales, in this order; undefined where the result would be too large. */
  private async draw(
    bytes: Buffer,
    wanted: PictureQuery,
    format: 'jpeg' | 'png' | 'gif' | 'webp',
  ): Promise<Buffer | undefined> {
    const picture = this.open(bytes);
    const cut = resolveCut(await picture.metadata(), wanted);
    const size = resolveSize(cut, wanted);
    if (size && largestArea(cut, size) > this.settings.maxPixels) return undefined;
    // A picture written anew has no mark that tells how to turn it, so it is turned.
    picture.autoOrient();
    if (cut.isCut) picture.extract(cut);
    if (size) picture.resize({ ...size, background: format === 'jpeg' ? 'white' : 'transparent' });
    if (format === 'jpeg') picture.flatten({ background: 'white' });
    return picture.toFormat(format, qualityFor(format, wanted)).toBuffer();
  }

  private open(bytes: Buffer): Sharp {
    const { maxPixels, maxSeconds } = this.settings;
    return sharp(bytes, {
      limitInputPixels: maxPixels,
      sequentialRead: true,
      failOn: 'truncated',
    }).timeout({ seconds: maxSeconds });
  }

  /** @throws PictureRefusal for what the library does not read */
  private async decode<T>(contentType: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.drawing.runInTurn(work);
    } catch (error) {
      throw new PictureRefusal(`broken ${contentType}`, { cause: error });
    }
  }
}

/** Whether a picture is wanted in another form than it has. */
function isOtherForm(wanted: PictureQuery): boolean {
  const { width, height, cropWidth, cropHeight, rotate, compress, transformationNeeded } = wanted;
  if (transformationNeeded === false || Math.max(width ?? 0, height ?? 0) > MAX_SIDE) return false;
  const isCut = cropWidth !== undefined && cropHeight !== undefined;
  return width !== undefined || height !== undefined || isCut || rotate === true || compress === true;
}

interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The part of the upright picture that is wanted; all of it where nothing would be left. */
function resolveCut({ autoOrient: whole }: Metadata, wanted: PictureQuery): Area & { readonly isCut: boolean } {
  const { cropX: left = 0, cropY: top = 0, cropWidth, cropHeight } = wanted;
  if (cropWidth === undefined || cropHeight === undefined || left >= whole.width || top >= whole.height)
    return { left: 0, top: 0, ...whole, isCut: false };
  const [width, height] = [Math.min(cropWidth, whole.width - left), Math.min(cropHeight, whole.height - top)];
  return { left, top, width, height, isCut: true };
}

/** How a picture is scaled; undefined where it is not. */
function resolveSize({ width, height }: Area, wanted: PictureQuery): ResizeOptions | undefined {
  const { shrinkOnly = false } = wanted;
  const sides = {
    ...(wanted.width !== undefined && { width: wanted.width }),
    ...(wanted.height !== undefined && { height: wanted.height }),
  };
  if (Object.keys(sides).length === 0) return undefined;
  const type = wanted.scaleType?.toLowerCase();
  if (type === 'coverandcrop' && shrinkOnly && wanted.width && wanted.height)
    // The library leaves a picture whole that is smaller on one side; here each side is cut to what is wanted.
    return { width: Math.min(wanted.width, width), height: Math.min(wanted.height, height), fit: 'cover' };
  return { ...sides, fit: FITS.get(type ?? '') ?? 'inside', withoutEnlargement: shrinkOnly };
}

/** Most pixels that a picture may have once it is scaled. */
function largestArea({ width, height }: Area, { width: wide, height: high }: ResizeOptions): number {
  const [byWidth, byHeight] = [(wide ?? 0) / width, (high ?? 0) / height];
  const factor = Math.max(byWidth, byHeight);
  return Math.max(width * height * factor * factor, (wide ?? 0) * (high ?? 0));
}

const qualityFor = (format: string, { compress = false }: PictureQuery) =>
  format === 'jpeg' || format === 'webp' ? { quality: compress ? COMPRESSED_QUALITY : QUALITY } : {};

/** The bytes of a source; undefined where there are more. */
async function gather(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of source) {
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
