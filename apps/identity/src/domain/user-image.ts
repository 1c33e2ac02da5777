import { createHash } from 'node:crypto';
import { ContactErrors, USER_IMAGE_TYPES } from '@groupware/contracts';
import { fileTypeFromBuffer } from 'file-type';

/** A validated picture. */
export interface AcceptedImage {
  /** Detected from the bytes, not from what the client claimed. */
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Lower-case hex of the SHA-256 of bytes. */
export const computeSha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Validates a picture by its content.
 * @param claimed media type that the sender named; one that differs is refused
 * @param maxBytes most bytes of a picture
 * @throws CON-0172, CON-0101
 */
export async function validateImage(
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
  return { contentType: contentType!, bytes, sha256: computeSha256(bytes) };
}
