import {
  CatalogueError,
  isCatalogueError,
  errorObject,
  FILE_RIGHTS,
  FileStorageErrors,
  InfostoreErrors,
  recordCheck,
  waiveCheck,
  type DocumentReference,
  type ErrorFactory,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, describeError, Logger } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { isLockedFor, type Document } from '../domain/document';
import { parseDocumentId, repeatReference } from '../domain/document-id';
import type { DocumentFields } from '../domain/document-input';
import { requireUnchanged } from '../documents/document-checks';
import { DocumentEditor } from '../documents/document-editor';
import { DocumentRequests } from '../documents/document-requests';
import { parseVersion } from '../documents/version-content';
import { DocumentLocks, requireMayReadVersion } from '../documents/document-locks';
import { DocumentPlaces } from '../documents/document-places';
import { DocumentUploads } from '../documents/document-uploads';
import { parseTargetId } from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { StorageContent } from './storage-content';
import { StorageDocuments } from './storage-documents';
import { isStorageId, storageOf } from './storage-id';
import type { StorageRequest } from './storage-kind';

/** A file on its way from one storage into another. */
export interface TransferSource {
  readonly name: string;
  readonly contentType: string;
  /** undefined where the storage does not say. */
  readonly sizeBytes: number | undefined;
  /** ms UTC */
  readonly modified: number;
  /** Opens the bytes, also again. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Deletes the file; false where it changed since it was opened, or is gone. */
  readonly remove: () => Promise<boolean>;
  /** The document of the own storage. */
  readonly document?: Document;
  readonly mayRemove: boolean;
}

/** A file that was copied or moved into another storage. */
export interface TransferResult {
  readonly id: string;
  readonly timestamp: number;
  /** What the new storage does not keep. */
  readonly warnings: readonly CatalogueError[];
}

/** A file as it stands in its new storage. */
export interface WrittenCopy {
  readonly id: string;
  readonly timestamp: number;
  /** Its name was taken: it has another one. */
  readonly isRenamed: boolean;
}

/** How a file is moved. */
export interface TransferOptions {
  readonly timestamp: number;
  readonly ignoreWarnings?: boolean | undefined;
}

/** Whether a document and a folder are of different storages: bytes go from one to the other. */
export const isTransfer = (id: string | undefined, folder: string | undefined | null): boolean =>
  id !== undefined && folder != null && folder !== '' && storageOf(id) !== storageOf(folder);

const log = Logger.for('files.storages');

/** Copies and moves files between the own storage and those elsewhere, and between these, as streams. */
@Injectable()
export class StorageTransfers {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
    private readonly documents: DocumentRepository,
    private readonly editor: DocumentEditor,
    private readonly requests: DocumentRequests,
    private readonly places: DocumentPlaces,
    private readonly uploads: DocumentUploads,
    private readonly storages: StorageDocuments,
    private readonly content: StorageContent,
    private readonly clock: Clock,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** Copies a file, or a version of it, into a folder of another storage. @throws the errors of `infostore?action=copy` */
  async copy(
    request: StorageRequest,
    id: string,
    version: string | undefined,
    fields: DocumentFields,
  ): Promise<TransferResult> {
    const source = await this.openSource(request, id, version);
    const { id: copied, timestamp } = await this.write(request, source, fields);
    return { id: copied, timestamp, warnings: this.findLosses(source, id, fields) };
  }

  /**
   * Moves a file into a folder of another storage: the old one goes when the new one is there, unless it changed meanwhile.
   * @throws FILE_STORAGE-0045 where something would be lost and that is not accepted, the errors of `infostore?action=update`
   */
  async move(
    request: StorageRequest,
    id: string,
    fields: DocumentFields,
    { timestamp, ignoreWarnings }: TransferOptions,
  ): Promise<TransferResult> {
    const source = await this.requireMovable(request, id, timestamp);
    const warnings = this.findLosses(source, id, fields);
    requireAccepted(request.principal, warnings, ignoreWarnings, FileStorageErrors.abortedByWarnings);
    const { id: moved, timestamp: stamp } = (await this.moveSource(request, id, source, fields, true))!;
    return { id: moved, timestamp: stamp, warnings };
  }

  /** Moves several files; those that are not there, or whose names are taken, stay. @throws FILE_STORAGE-0070 */
  async moveSeveral(
    request: StorageRequest,
    references: readonly DocumentReference[],
    folder: string,
    { renames, ignoreWarnings }: { readonly renames: boolean; readonly ignoreWarnings: boolean | undefined },
  ): Promise<{ readonly left: DocumentReference[]; readonly warnings: readonly CatalogueError[] }> {
    const left: DocumentReference[] = [];
    const found: { reference: DocumentReference; source: TransferSource }[] = [];
    for (const reference of references)
      try {
        found.push({ reference, source: await this.requireMovable(request, reference.id!, Number.MAX_VALUE) });
      } catch (error) {
        if (!isMissing(error)) throw error;
        left.push(repeatReference(reference));
      }
    const fields = { folder_id: folder };
    const warnings = found.flatMap(({ reference, source }) => this.findLosses(source, reference.id!, fields));
    requireAccepted(request.principal, warnings, ignoreWarnings, FileStorageErrors.movesAbortedByWarnings);
    for (const { reference, source } of found)
      if (!(await this.moveSource(request, reference.id!, source, fields, renames)))
        left.push(repeatReference(reference));
    return { left, warnings };
  }

  private async requireMovable(request: StorageRequest, id: string, timestamp: number): Promise<TransferSource> {
    recordCheck(FILE_RIGHTS.remove);
    const source = await this.openSource(request, id, undefined);
    const { document, modified, mayRemove } = source;
    if (!mayRemove) throw InfostoreErrors.mustNotDeleteInSource(document?.folderId ?? id);
    if (document && isLockedFor(document, request.principal.userId, this.clock.now()))
      throw InfostoreErrors.locked(document.id);
    if (document) requireUnchanged(document, timestamp);
    else if (modified > timestamp) throw InfostoreErrors.changedInTheMeantime(id, timestamp, modified);
    return source;
  }

  /** The moved file; undefined where its name is taken and must stay. */
  private async moveSource(
    request: StorageRequest,
    id: string,
    source: TransferSource,
    fields: DocumentFields,
    renames: boolean,
  ): Promise<WrittenCopy | undefined> {
    const written = await this.write(request, source, fields);
    if (written.isRenamed && !renames) {
      await this.removeCopy(request, written.id);
      return undefined;
    }
    if (await this.removeSource(request, source, written)) return written;
    // Changed while its bytes were on their way: the old one stays, the copy goes.
    await this.removeCopy(request, written.id);
    throw InfostoreErrors.changedInTheMeantime(id, source.modified, source.modified);
  }

  /** Deletes the former file. The copy is removed where that is refused, and stays where the outcome is unknown. */
  private async removeSource(request: StorageRequest, source: TransferSource, copy: WrittenCopy): Promise<boolean> {
    try {
      return await source.remove();
    } catch (error) {
      const isRefused = error instanceof CatalogueError && !error.is(FileStorageErrors.notReachable);
      if (isRefused)
        await this.removeCopy(request, copy.id).catch((cause: unknown) =>
          log.warn({ copy: copy.id, cause: describeError(cause) }, 'a copy of a file that was not moved stays'),
        );
      throw error;
    }
  }

  private async removeCopy(request: StorageRequest, id: string): Promise<void> {
    if (isStorageId(id)) await this.storages.delete(request, [{ id }], Number.MAX_VALUE);
    else await this.places.delete(request.principal, [{ id }], Number.MAX_SAFE_INTEGER, true);
  }

  private async openSource(request: StorageRequest, id: string, version: string | undefined): Promise<TransferSource> {
    if (isStorageId(id)) return { ...(await this.content.openSource(request, id)), mayRemove: true };
    const user = request.principal;
    const named = parseDocumentId(id);
    const wanted = version === undefined ? undefined : parseVersion(named.id, version);
    const { found, file } = await this.database.read(user, async (db) => {
      const readable = await this.locks.requireReadable(db, user, named);
      requireMayReadVersion(user, readable, wanted);
      const { current } = readable.document;
      const chosen = wanted === undefined ? current : await this.documents.findVersion(db, named.id, wanted);
      if (!chosen) throw FileStorageErrors.noSuchVersion(named.id, wanted);
      return { found: readable, file: chosen };
    });
    const { document, access } = found;
    const { reference, filename, mimeType, sizeBytes } = file;
    if (reference === null) throw InfostoreErrors.noContent(document.id);
    return {
      name: filename ?? String(document.id),
      contentType: mimeType ?? '',
      sizeBytes: sizeBytes ?? 0,
      modified: document.lastModified,
      open: () => this.store.read(reference),
      remove: async () => (await this.places.delete(user, [{ id }], document.lastModified, true)).left.length === 0,
      document,
      mayRemove: access.mayRemove,
    };
  }

  private async write(request: StorageRequest, source: TransferSource, fields: DocumentFields): Promise<WrittenCopy> {
    const folder = fields.folder_id!;
    const user = request.principal;
    recordCheck(FILE_RIGHTS.create);
    if (isStorageId(folder)) return this.storages.createFrom(request, folder, fields, source);
    await this.requests.requireMayCreateIn(user, parseTargetId(folder));
    const { name, contentType, sizeBytes } = source;
    const file = await this.uploads.storeStream(user, { name, contentType, sizeBytes }, source.open());
    try {
      const { id, timestamp, saveAction } = await this.editor.create(user, { filename: name, ...fields }, file);
      return { id, timestamp, isRenamed: saveAction === 'rename' };
    } finally {
      await this.uploads.discard(file);
    }
  }

  /** What of a document of the own storage another one does not keep. */
  private findLosses({ document, name }: TransferSource, id: string, { folder_id: folder }: DocumentFields) {
    if (!document || !isStorageId(folder ?? undefined)) return [];
    waiveCheck(FILE_RIGHTS.write, 'the document itself stays as it is');
    return listLosses(document, name, id);
  }
}

/** Lists what of a document a storage elsewhere does not keep. */
export function listLosses(
  { current, versions, categories, permissions }: Document,
  name: string,
  id: string,
): CatalogueError[] {
  const losses: [boolean, ErrorFactory][] = [
    [current.description !== null, FileStorageErrors.losesNotes],
    [versions > 1, FileStorageErrors.losesVersions],
    [categories !== null, FileStorageErrors.losesCategories],
    [permissions.length > 0, FileStorageErrors.losesShares],
  ];
  return losses.flatMap(([isLost, warning]) => (isLost ? [warning(name, id)] : []));
}

/** Refuses what would be lost unless the client accepts it. */
export function requireAccepted(
  { locale }: UserPrincipal,
  warnings: readonly CatalogueError[],
  ignoreWarnings: boolean | undefined,
  refusal: ErrorFactory,
): void {
  if (warnings.length > 0 && !ignoreWarnings)
    throw refusal(warnings.length).with({ warnings: warnings.map((warning) => errorObject(warning, locale)) });
}

const isMissing = (error: unknown): boolean =>
  isCatalogueError(error, InfostoreErrors.notFound, FileStorageErrors.noSuchFile);
