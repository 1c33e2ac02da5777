import { MAX_ATTACHMENTS, MAX_ATTACHMENTS_IN_CONTEXT, ObjectErrors, type UserPrincipal } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { FileClaims } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';
import { AttachedObjects } from '../objects/attached-objects';
import { type AttachResult, AttachmentWriter, listObjects, type WriteLimits } from './attachment-writer';
import { OwnerNotices } from './owner-notices';
import { UploadScan } from '../files/upload-scan';
import type { UploadedPart } from '../domain/uploaded-parts';

/** Attaches uploaded files to objects, all or none. */
@Injectable()
export class AttachmentUploads {
  constructor(
    private readonly objects: AttachedObjects,
    private readonly claims: FileClaims,
    private readonly scan: UploadScan,
    private readonly writer: AttachmentWriter,
    private readonly properties: Properties,
    private readonly notices: OwnerNotices,
  ) {}

  /** The stamp is that of the change of the objects. The errors of `attachment?action=attach`, and those of the owners. */
  async attachFiles(
    user: UserPrincipal,
    parts: readonly UploadedPart[],
    options: Pick<WriteLimits, 'announce'> = {},
  ): Promise<{ readonly ids: number[]; readonly stamp: number }> {
    for (const part of listAccesses(parts)) await this.objects.requireAccess(user, part, true);
    await this.scan.requireClean(
      user,
      parts.map(({ file, fileName }) => ({ ...file, name: fileName })),
    );
    const { ids, stamp, states } = await this.attachParts(user, parts, options);
    const changes = [stamp];
    for (const state of states) {
      const changed = await this.notices.notifyOwner(user, state);
      if (!changed) throw ObjectErrors.notFound(state.object, user.contextId);
      changes.push(changed);
    }
    return { ids: [...ids], stamp: Math.max(...changes) };
  }

  private async attachParts(
    user: UserPrincipal,
    parts: readonly UploadedPart[],
    options: Pick<WriteLimits, 'announce'>,
  ): Promise<AttachResult> {
    const { contextId } = user;
    const [maxPerObject, maxInContext] = await Promise.all([
      this.properties.get(MAX_ATTACHMENTS, { contextId }),
      this.properties.get(MAX_ATTACHMENTS_IN_CONTEXT, { contextId }),
    ]);
    const files = parts.map(({ file }) => file);
    return this.claims.withFiles(user, files, (claimed, room) =>
      this.writer.writeAttachments(user, parts, claimed, { maxPerObject, maxInContext, ...room, ...options }),
    );
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
