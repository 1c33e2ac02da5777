import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ContactErrors, USER_IMAGE_TYPES } from '@groupware/contracts';
import { fileTypeFromBuffer } from 'file-type';
import sharp, { type Sharp } from 'sharp';
import { ContactsConfig } from '../contacts.config';
import type { Picture } from './contact-picture.repository';

/** Sides beyond which a picture is scaled before it is stored. */
const STORED = { width: 600, height: 800 } as const;
const QUALITY = 85;
const SECONDS = 10;
const JPEG = 'image/jpeg';

/** How a picture is to be shown. */
export interface ShownSize {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly scaleType?: string | undefined;
  readonly shrinkOnly?: boolean | undefined;
}

const toPicture = (contentType: string, bytes: Buffer): Picture => ({
  contentType,
  bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/**
 * Reads and scales pictures. The library works in threads of its own; one picture at a time, so that memory holds the pixels of
 * one, and no more pixels than configured.
 */
@Injectable()
export class PictureScaler {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly config: ContactsConfig) {}

  /**
   * A picture as it is stored: by its content one that browsers draw, and scaled where both sides are large.
   * @throws CON-0101
   */
  async accept(bytes: Buffer): Promise<Picture> {
    const contentType = (await fileTypeFromBuffer(bytes))?.mime ?? 'an unknown type';
    if (!USER_IMAGE_TYPES.some((type) => type === contentType)) throw ContactErrors.imageNotAccepted(contentType);
    const { width, height } = await this.decode(contentType, () => this.open(bytes).metadata());
    if (width * height > this.config.imageMaxPixels)
      throw ContactErrors.imageNotAccepted(`${contentType} of ${width} by ${height}`);
    if (width <= STORED.width || height <= STORED.height) {
      // All of it is decoded once: what is broken further down is not stored.
      await this.decode(contentType, () => this.open(bytes).stats());
      return toPicture(contentType, bytes);
    }
    const scaled = await this.decode(contentType, () =>
      this.open(bytes)
        .autoOrient()
        .resize({ ...STORED, fit: 'outside' })
        .flatten({ background: 'white' })
        .jpeg({ quality: QUALITY })
        .toBuffer(),
    );
    return toPicture(JPEG, scaled);
  }

  /** A stored picture in the size in which it is asked for; as it is stored where it cannot be scaled. */
  async show(picture: Picture, size: ShownSize): Promise<Picture> {
    const [width, height] = [this.limitSide(size.width), this.limitSide(size.height)];
    if (width === undefined && height === undefined) return picture;
    const type = size.scaleType?.toLowerCase();
    const fit = type === 'coverandcrop' ? 'cover' : type === 'cover' ? 'outside' : 'inside';
    try {
      const bytes = await this.inTurn(() =>
        this.open(picture.bytes)
          .autoOrient()
          .resize({
            ...(width !== undefined && { width }),
            ...(height !== undefined && { height }),
            fit,
            withoutEnlargement: size.shrinkOnly ?? false,
          })
          .toBuffer(),
      );
      return toPicture(picture.contentType, bytes);
    } catch {
      return picture;
    }
  }

  private limitSide(side: number | undefined): number | undefined {
    return side === undefined ? undefined : Math.min(side, this.config.imageMaxSide);
  }

  private open(bytes: Buffer): Sharp {
    return sharp(bytes, {
      limitInputPixels: this.config.imageMaxPixels,
      sequentialRead: true,
      failOn: 'truncated',
    }).timeout({ seconds: SECONDS });
  }

  /** @throws CON-0101 for what the library does not read */
  private async decode<T>(contentType: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.inTurn(work);
    } catch {
      throw ContactErrors.imageNotAccepted(`broken ${contentType}`);
    }
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }
}
