import type { DocumentData, UserPrincipal } from '@groupware/contracts';
import type { ZoneOffsets } from '@groupware/recurrence';
import { lookup } from 'mime-types';
import { OPAQUE } from '../documents/document-delivery';
import type { OpenedAccount } from './storage-accounts';
import { nameOf, parentOf, toStorageFileId, toStorageFolderId } from './storage-id';
import type { StorageEntry } from './storage-kind';

/** The type of a file: what the storage says, unless that says nothing. */
export function typeOf({ path, mimeType }: StorageEntry): string {
  const said = mimeType?.split(';')[0]!.trim();
  return said && said !== OPAQUE ? said : lookup(nameOf(path)) || OPAQUE;
}

/** A file of a storage as a document: it has one version, and belongs to the user alone. */
export function toDocument(
  { account }: OpenedAccount,
  entry: StorageEntry,
  user: UserPrincipal,
  zone: ZoneOffsets,
): DocumentData {
  const address = { service: account.service, account: String(account.id) };
  const shift = (time: number): number => time + zone.offsetAt(time);
  const name = nameOf(entry.path);
  return {
    id: toStorageFileId({ ...address, path: entry.path }),
    folder_id: toStorageFolderId({ ...address, path: parentOf(entry.path) }),
    created_by: String(user.userId),
    modified_by: String(user.userId),
    creation_date: shift(entry.created ?? entry.modified),
    last_modified: shift(entry.modified),
    last_modified_utc: entry.modified,
    sequence_number: entry.modified,
    title: name,
    filename: name,
    file_mimetype: typeOf(entry),
    file_size: entry.sizeBytes,
    version: '1',
    current_version: true,
    number_of_versions: 1,
    locked_until: 0,
    shareable: false,
  };
}
