import { FileStorageErrors } from '@groupware/contracts';
import { lookup } from 'mime-types';
import type { DocumentVersion } from '../domain/document';
import type { VersionFields } from '../domain/document-input';
import type { HashedFile } from './document-uploads';

/** The type of files of which nothing is known. */
export const OPAQUE = 'application/octet-stream';

/** A version without anything. */
export const EMPTY_VERSION: DocumentVersion = {
  version: 0,
  createdBy: 0,
  created: 0,
  title: null,
  filename: null,
  url: null,
  description: null,
  comment: null,
  mimeType: null,
  sizeBytes: null,
  md5: null,
  reference: null,
};

/** Fields of a version that its file gives. @param reference of its kept bytes */
export const toContent = (
  file: HashedFile,
  reference: string | undefined,
  filename: string | null,
  mimeType: string | null | undefined,
): Pick<DocumentVersion, 'sizeBytes' | 'md5' | 'reference' | 'mimeType'> => ({
  sizeBytes: file.sizeBytes,
  md5: file.md5,
  reference: reference ?? null,
  mimeType: resolveType(mimeType ?? file.contentType, filename),
});

/** The type of a file: browsers send none for what they do not know, so the name decides then. */
function resolveType(given: string, filename: string | null): string {
  const plain = given.split(';')[0]!.trim().toLowerCase();
  const isVague = plain === OPAQUE || plain === '' || /^(multipart|message)\//.test(plain);
  return isVague ? lookup(filename ?? '') || OPAQUE : given;
}

/** A version with other fields; a title that is the file name follows it. */
export function followName(version: DocumentVersion, fields: VersionFields): DocumentVersion {
  const after = { ...version, ...fields };
  const follows = fields.title === undefined && version.title === version.filename;
  return follows ? { ...after, title: after.filename } : after;
}

/** The number of a version. @throws FILE_STORAGE-0039 for what is none */
export function parseVersion(id: number, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw FileStorageErrors.noSuchVersion(id, text);
  return Number(text);
}
