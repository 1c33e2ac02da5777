import { Injectable } from '@nestjs/common';
import {
  ATTACHMENT_RIGHTS,
  recordCheck,
  AttachmentErrors,
  attachmentOwnerOf,
  MODULE,
  requireModuleScope,
  type AttachedFiles,
  type AttachmentOwner,
  type ServicePrincipal,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';
import type { AttachedObject } from '../domain/attached-object';

/** Timeout for notifying the owner, ms; the event reaches it in any case. */
const NOTICE_MS = 2000;

const log = Logger.for('attachments');

/** Files of an object that its owner is told of. */
export type NotifiedFiles = Omit<AttachedFiles, 'usedBytes'>;

/** Checks access with the modules that own objects, and notifies them of changes. */
@Injectable()
export class AttachedObjects {
  constructor(private readonly caller: Caller) {}

  /**
   * Requires read (or write) access to the attachments of the object.
   * @throws ATT-0418 when no module keeps such objects, ASP-0001 outside the scopes of an application password; the
   * owner's own errors otherwise
   */
  async requireAccess(user: UserPrincipal, object: AttachedObject, write = false): Promise<void> {
    const owner = requireOwner(object.module);
    requireModuleScope(user, owner[MODULE].service, write ? 'write' : 'read');
    await this.caller.call(owner.access, {
      principal: toServicePrincipal(user, user),
      query: { object: object.attached, folder: object.folder, write },
    });
    recordCheck(write ? ATTACHMENT_RIGHTS.write : ATTACHMENT_RIGHTS.read);
  }

  /**
   * Notifies the owner of the object's attachments, so that the client's next request shows them. Never fails.
   * @returns the stamp of the change, not before `last_modified` of the object; 0 when the object no longer exists
   */
  async notifyOwner(tenant: Tenant, files: NotifiedFiles): Promise<number> {
    try {
      const lastModified = await this.caller.call(requireOwner(files.module).changed, {
        principal: toServicePrincipal(tenant),
        query: {
          object: files.object,
          count: files.count,
          ...(files.newest === null ? {} : { newest: files.newest }),
          revision: files.revision,
          userId: files.userId,
          ...(files.announce && { announce: true }),
        },
        deadline: Date.now() + NOTICE_MS,
      });
      return lastModified && Math.max(lastModified, files.revision);
    } catch (error) {
      log.info({ module: files.module, cause: String(error) }, 'the owner learns the count by event');
      return files.revision;
    }
  }
}

function requireOwner(module: number): AttachmentOwner {
  const owner = attachmentOwnerOf(module);
  if (!owner) throw AttachmentErrors.invalid(`objects of module ${module} carry no attachments`);
  return owner;
}

const toServicePrincipal = ({ contextId }: Tenant, user?: UserPrincipal): ServicePrincipal => ({
  kind: 'internal',
  service: 'attachments',
  contextId,
  ...(user && { user }),
});
