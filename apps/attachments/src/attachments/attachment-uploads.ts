import { MAX_ATTACHMENTS, MAX_ATTACHMENTS_IN_CONTEXT, ObjectErrors, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { FileClaims, StoredFiles } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';
import { AttachedObjects } from '../objects/attached-objects';
import { type AttachResult, AttachmentWriter, listObjects } from './attachment-writer';
import { AttachmentRemover } from './attachment-remover';
import { UploadScan } from '../files/upload-scan';
import type { UploadedPart } from '../domain/uploaded-parts';

/** Attaches uploaded files to objects, all or none. */
@Injectable()
export class AttachmentUploads {
  constructor(
    private readonly objects: AttachedObjects,
    private readonly files: StoredFiles,
    private readonly claims: FileClaims,
    private readonly scan: UploadScan,
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
    await this.scan.requireClean(
      user,
      parts.map(({ file, fileName }) => ({ ...file, name: fileName })),
    );
    const { ids, stamp, states } = await this.attachParts(user, parts);
    for (const state of states)
      if (!(await this.objects.notifyOwner(user, state))) await this.undoAttach(user, state.module, state.object);
    return { ids: [...ids], stamp };
  }

  private async attachParts(user: UserPrincipal, parts: readonly UploadedPart[]): Promise<AttachResult> {
    const { contextId } = user;
    const [maxPerObject, maxInContext] = await Promise.all([
      this.properties.get(MAX_ATTACHMENTS, { contextId }),
      this.properties.get(MAX_ATTACHMENTS_IN_CONTEXT, { contextId }),
    ]);
    const files = parts.map(({ file }) => file);
    return this.claims.withFiles(user, files, (claimed, room) =>
      this.writer.writeAttachments(user, parts, claimed, { maxPerObject, maxInContext, ...room }),
    );
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

/** Lists the access checks: each object once per folder. */
const listAccesses = (parts: readonly UploadedPart[]): UploadedPart[] =>
  listObjects(parts).flatMap((object) => [
    ...new Map(
      parts
        .filter(({ module, attached }) => module === object.module && attached === object.attached)
        .map((part) => [part.folder, part]),
    ).values(),
  ]);
