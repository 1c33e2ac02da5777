import {
  AttachmentErrors,
  contextStorage,
  MAX_ATTACHMENTS,
  MAX_ATTACHMENTS_IN_CONTEXT,
  ObjectErrors,
  SCAN_UPLOADS,
  VirusErrors,
  CatalogueError,
  type ServicePrincipal,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { AttachedObjects } from '../objects/attached-objects';
import { type AttachResult, AttachmentWriter, listObjects, type WriteLimits } from './attachment-writer';
import { AttachmentRemover } from './attachment-remover';
import { toQuotaBytes } from '../domain/write-limits';
import type { UploadedPart } from '../domain/uploaded-parts';
import type { Content } from '../persistence/stored-file.repository';
import { ScanCheck } from '../files/scan-check';
import { StoredFiles } from '../files/stored-files';

/** Attempts at a claim; a concurrent detach of the same content or a move loses one. */
const ATTEMPTS = 3;

const log = Logger.for('attachments');

/** Attaches uploaded files to objects, all or none. */
@Injectable()
export class AttachmentUploads {
  constructor(
    private readonly caller: Caller,
    private readonly objects: AttachedObjects,
    private readonly files: StoredFiles,
    private readonly scans: ScanCheck,
    private readonly writer: AttachmentWriter,
    private readonly properties: Properties,
    private readonly database: ModuleDatabase,
    private readonly detachment: AttachmentRemover,
  ) {}

  /** The errors of `attachment?action=attach`, and those of the owners of the objects. */
  async attachFiles(
    user: UserPrincipal,
    parts: readonly UploadedPart[],
  ): Promise<{ readonly ids: number[]; readonly stamp: number }> {
    for (const part of listAccesses(parts)) await this.objects.requireAccess(user, part, true);
    await this.scanParts(user, parts);
    const { ids, stamp, states } = await this.attachParts(user, parts);
    for (const state of states)
      if (!(await this.objects.notifyOwner(user, state))) await this.undoAttach(user, state.module, state.object);
    return { ids: [...ids], stamp };
  }

  private async attachParts(user: UserPrincipal, parts: readonly UploadedPart[]): Promise<AttachResult> {
    const files = parts.map(({ file }) => file);
    const held: Content[] = [];
    try {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const { storeId, limits } = await this.reserveSpace(user, files);
        let attached: AttachResult | undefined;
        try {
          const claimed = await this.files.claimFiles(user, files, storeId, held);
          attached = await this.writer.writeAttachments(user, parts, claimed, limits);
        } finally {
          if (!attached) await this.releaseSpace(user, limits);
        }
        if (attached) return attached;
      }
      throw AttachmentErrors.notSaved();
    } finally {
      // On success all contents have attachments and stay; on failure all are removed.
      await this.files.abandonContents(
        user,
        held.map(({ reference }) => reference),
      );
      await this.files.discardUploads(files);
    }
  }

  /** Resolves store and limits, and reserves space. @throws FLS-0011 when the store is full */
  private async reserveSpace(
    user: UserPrincipal,
    files: readonly UploadedFile[],
  ): Promise<{ storeId: number; limits: WriteLimits }> {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const [storage, maxPerObject, maxInContext] = await Promise.all([
      this.caller.call(contextStorage.reserve, { principal: toServicePrincipal(user), query: { bytes } }),
      this.properties.get(MAX_ATTACHMENTS, { contextId: user.contextId }),
      this.properties.get(MAX_ATTACHMENTS_IN_CONTEXT, { contextId: user.contextId }),
    ]);
    const { filestoreId: storeId, reservation } = storage;
    return { storeId, limits: { maxPerObject, maxInContext, reservation, quotaBytes: toQuotaBytes(storage) } };
  }

  /** Releases reserved space. Never fails: reservations expire. */
  private async releaseSpace(user: UserPrincipal, { reservation }: WriteLimits): Promise<void> {
    if (reservation === undefined) return;
    try {
      await this.caller.call(contextStorage.release, { principal: toServicePrincipal(user), query: { reservation } });
    } catch (error) {
      log.info({ cause: String(error) }, 'room in the file store stays reserved for a while');
    }
  }

  private async scanParts(user: UserPrincipal, parts: readonly UploadedPart[]): Promise<void> {
    const policy = await this.properties.get(SCAN_UPLOADS, { contextId: user.contextId });
    if (policy === 'off') return;
    for (const { file, fileName } of parts)
      try {
        await this.scans.requireClean(user, { ...file, sha256: file.sha256!, name: fileName });
      } catch (error) {
        const notScanned = error instanceof CatalogueError && !error.is(VirusErrors.found);
        if (policy === 'required' || !notScanned) throw error;
      }
  }

  /** Removes attachments of an object deleted between access check and commit. */
  private async undoAttach(user: UserPrincipal, module: number, attached: number): Promise<never> {
    const { released } = await this.database.transact(user, (tx) =>
      this.detachment.removeAttachments(tx, { module, attached }, user.userId),
    );
    await this.files.abandonContents(user, released);
    throw ObjectErrors.notFound(attached, user.contextId);
  }
}

const toServicePrincipal = ({ contextId }: UserPrincipal): ServicePrincipal => ({
  kind: 'internal',
  service: 'attachments',
  contextId,
});

/** Lists the access checks: each object once per folder. */
const listAccesses = (parts: readonly UploadedPart[]): UploadedPart[] =>
  listObjects(parts).flatMap((object) => [
    ...new Map(
      parts
        .filter(({ module, attached }) => module === object.module && attached === object.attached)
        .map((part) => [part.folder, part]),
    ).values(),
  ]);
