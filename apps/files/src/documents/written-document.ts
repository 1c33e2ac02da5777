import type { SaveAction } from '@groupware/contracts';
import type { Document, StoredPermission } from '../domain/document';
import { toDocumentId } from '../domain/document-id';
import type { AccessedDocument } from './document-locks';

/** A written document. */
export interface WrittenResult {
  readonly id: string;
  readonly document: Document;
  readonly saveAction: SaveAction;
  readonly timestamp: number;
  /** Users, groups and guests who got rights on the document. */
  readonly newEntities: readonly number[];
}

/** Outcome of a write in a transaction: with files to be purged after the commit. */
export interface Written {
  readonly result: WrittenResult;
  readonly released: readonly string[];
}

/** Folder in which the user sees a document after a change: as before, or its new one. */
export const seenIn = (after: Document, before: Document, access: AccessedDocument['access']): number =>
  access.seenIn === before.folderId ? after.folderId : access.seenIn;

/** Describes a written document. @param before permissions that it had */
export const toResult = (
  document: Document,
  folder: number,
  saveAction: SaveAction,
  before: readonly StoredPermission[] = [],
): WrittenResult => ({
  id: toDocumentId(folder, document.id),
  document,
  saveAction,
  timestamp: document.lastModified,
  newEntities: document.permissions
    .filter(({ entity, group }) => !before.some((entry) => entry.entity === entity && entry.group === group))
    .map(({ entity }) => entity),
});
