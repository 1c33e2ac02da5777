import { InfostoreErrors } from '@groupware/contracts';
import type { Document } from '../domain/document';
import { requireMayReceive, type AccessedFolder } from '../folders/folder-access';
import type { AccessedDocument } from './document-locks';

/** Refuses a document that changed after the client read it (IFO-1302). */
export function requireUnchanged({ id, lastModified }: Document, timestamp: number): void {
  if (lastModified > timestamp) throw InfostoreErrors.changedInTheMeantime(id, timestamp, lastModified);
}

/** Refuses a move without the right to delete in the source (IFO-0421) or to create in the target (IFO-0404). */
export function requireMayMove(
  { document, access }: AccessedDocument,
  target: AccessedFolder | undefined,
  targetId: number,
): void {
  requireMayReceive(target, targetId);
  if (!access.mayRemove) throw InfostoreErrors.mustNotDeleteInSource(document.folderId);
}
