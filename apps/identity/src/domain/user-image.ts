import { createHash } from 'node:crypto';
import { ContactErrors, USER_IMAGE_TYPES } from '@groupware/contracts';
import { fileTypeFromBuffer } from 'file-type';

/** A picture that may be stored. */
export interface AcceptedImage {
  /** What the bytes are, whatever was said about them. */
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Lower-case hex of the SHA-256 of bytes. */
export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Checks the bytes of a picture by what they are.
 * @param claimed media type that the sender named; one that differs is refused
 * @param maxBytes most bytes of a picture
 * @throws CON-0172, CON-0101
 */
export async function acceptedImage(
  bytes: Buffer,
  claimed: string | undefined,
  maxBytes: number,
): Promise<AcceptedImage> {
  if (bytes.length > maxBytes) throw ContactErrors.imageTooLarge(bytes.length, maxBytes);
  const contentType = (await fileTypeFromBuffer(bytes))?.mime;
  if (!USER_IMAGE_TYPES.some((type) => type === contentType))
    throw ContactErrors.imageNotAccepted(contentType ?? 'an unknown type');
  if (claimed !== undefined && claimed !== contentType)
    throw ContactErrors.imageNotAccepted(`${contentType} instead of ${claimed}`);
  return { contentType: contentType!, bytes, sha256: sha256Of(bytes) };
}
