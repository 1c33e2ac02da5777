import type { UploadedFile } from '@groupware/contracts';
import type { NewAttachment } from './compose-files';

/** Uploads as files of a mail that is written. @param disposition INLINE for pictures of the text, in any case */
export function toComposeUploads(files: readonly UploadedFile[], disposition?: string): NewAttachment[] {
  const isInline = disposition?.toLowerCase() === 'inline';
  return files.map(({ name, contentType, reference, sizeBytes }) => ({
    name: name || 'file',
    type: contentType,
    reference,
    sizeBytes,
    origin: 'UPLOAD',
    isInline,
  }));
}
