import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { StoredFiles } from '@groupware/stored-files';
import type { AttachedObject } from '../domain/attached-object';
import { AttachedObjects } from '../objects/attached-objects';
import { AttachmentRemover } from './attachment-remover';

/** Detaches files from objects; unknown ids are ignored. */
@Injectable()
export class AttachmentDetachment {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly remover: AttachmentRemover,
    private readonly files: StoredFiles,
  ) {}

  /** Returns the stamp of the change of the object. The errors of the owner of the object. */
  async detachFiles(
    user: UserPrincipal,
    object: AttachedObject,
    ids: readonly number[],
    options: { readonly announce?: boolean } = {},
  ): Promise<number> {
    await this.objects.requireAccess(user, object, true);
    const { state, stamp, released } = await this.database.transact(user, (tx) =>
      this.remover.removeAttachments(tx, object, user.userId, ids, options.announce),
    );
    await this.files.abandonContents(user, released);
    return (state && (await this.objects.notifyOwner(user, state))) || stamp;
  }
}
