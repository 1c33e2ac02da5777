import { Injectable } from '@nestjs/common';
import {
  AttachmentErrors,
  attachmentOwnerOf,
  MODULE,
  requireModuleScope,
  type AttachedFiles,
  type AttachmentOwner,
  type ServicePrincipal,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';

/** An object that carries attachments, as a user sees it. */
export interface AttachedObject {
  /** 1 appointment, 4 task, 7 contact, 137 infostore. */
  readonly module: number;
  readonly attached: number;
  readonly folder: number;
}

/** Longest wait for an owner that takes over a count, ms; it also learns it by event. */
const NOTICE_MS = 2000;

const log = Logger.for('attachments');

/** Asks the owners of objects who may do what, and tells them what their objects carry. */
@Injectable()
export class AttachedObjects {
  constructor(private readonly caller: Caller) {}

  /**
   * Fails unless the user may read (or change) the attachments of the object.
   * @throws ATT-0418 when no module keeps such objects, ASP-0001 outside the scopes of an application password; the
   * owner's own errors otherwise
   */
  async require(user: UserPrincipal, object: AttachedObject, write = false): Promise<void> {
    const owner = ownerOf(object.module);
    requireModuleScope(user, owner[MODULE].service, write ? 'write' : 'read');
    await this.caller.call(owner.access, {
      principal: asking(user),
      query: { object: object.attached, folder: object.folder, write },
    });
  }

  /**
   * Tells the owner what its object carries now, so that the next answer to the client shows it. Never fails.
   * @returns false when there is no such object any more
   */
  async tell(user: UserPrincipal, files: AttachedFiles): Promise<boolean> {
    try {
      return await this.caller.call(ownerOf(files.module).changed, {
        principal: asking(user),
        query: {
          object: files.object,
          count: files.count,
          ...(files.newest === null ? {} : { newest: files.newest }),
          revision: files.revision,
          userId: files.userId,
        },
        deadline: Date.now() + NOTICE_MS,
      });
    } catch (error) {
      log.info({ module: files.module, cause: String(error) }, 'the owner learns the count by event');
      return true;
    }
  }
}

function ownerOf(module: number): AttachmentOwner {
  const owner = attachmentOwnerOf(module);
  if (!owner) throw AttachmentErrors.invalid(`objects of module ${module} carry no attachments`);
  return owner;
}

const asking = (user: UserPrincipal): ServicePrincipal => ({
  kind: 'internal',
  service: 'attachments',
  contextId: user.contextId,
  user,
});
