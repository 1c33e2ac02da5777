import { Injectable } from '@nestjs/common';
import type { Tenant } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { StoredFiles } from '@groupware/stored-files';
import { AttachedObjects, type NotifiedFiles } from '../objects/attached-objects';
import { AttachmentRemover } from './attachment-remover';

/** Tells owners of files that objects got; those of an object that was deleted meanwhile are removed. */
@Injectable()
export class OwnerNotices {
  constructor(
    private readonly objects: AttachedObjects,
    private readonly database: ModuleDatabase,
    private readonly remover: AttachmentRemover,
    private readonly files: StoredFiles,
  ) {}

  /** @returns the stamp of the change, not before `last_modified` of the object; 0 when the object no longer exists */
  async notifyOwner(tenant: Tenant, state: NotifiedFiles): Promise<number> {
    const changed = await this.objects.notifyOwner(tenant, state);
    if (changed) return changed;
    const { module, object: attached, userId } = state;
    const { released } = await this.database.transact(tenant, (tx) =>
      this.remover.removeAttachments(tx, { module, attached }, userId),
    );
    await this.files.abandonContents(tenant, released);
    return 0;
  }
}
