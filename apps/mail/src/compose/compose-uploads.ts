import type { UploadedFile } from '@groupware/contracts';
import { lookup } from 'mime-types';
import { UPLOAD, type NewAttachment } from './compose-files';

/** Types sent by clients that know none, and the meaning of none at all (RFC 7578, section 4.4): the name tells more. */
const VAGUE_TYPES: readonly string[] = ['application/octet-stream', 'text/plain'];
const typeOf = ({ name, contentType }: UploadedFile): string =>
  (VAGUE_TYPES.includes(contentType) && lookup(name)) || contentType;

/** Uploads as files of a mail that is written. @param disposition INLINE for pictures of the text, in any case */
export function toComposeUploads(files: readonly UploadedFile[], disposition?: string): NewAttachment[] {
  const isInline = disposition?.toLowerCase() === 'inline';
  return files.map((file) => ({
    name: file.name || 'file',
    type: typeOf(file),
    reference: file.reference,
    sizeBytes: file.sizeBytes,
    origin: UPLOAD,
    isInline,
  }));
}
