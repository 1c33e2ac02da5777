import {
  FolderErrors,
  mailboxEvents,
  type FolderKey,
  type OwnedFolder,
  type OwnedFolderNotice,
  type SharingNotice,
  type UserRequest,
} from '@groupware/contracts';
import { parseRights, splitByRights } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import { toMailFolderId } from '../domain/mail-folder';
import { MailboxFolders, parseMailFolderKey } from './mailbox-folders';

/** Asks for mails that tell users and groups of folders that are shared with them. */
@Injectable()
export class FolderNotices {
  constructor(
    private readonly folders: MailboxFolders,
    private readonly database: ModuleDatabase,
  ) {}

  /** Tells users and groups of a folder; answers those that have no rights on it. @throws FLD-0008, FLD-0010 */
  async notifyEntities(request: UserRequest, { id, entities, ...notice }: OwnedFolderNotice): Promise<number[]> {
    const wanted = toMailFolderId(parseMailFolderKey(id));
    const folder = await this.folders.getFolder(request, id, { permissions: (each) => each.id === wanted });
    if (!parseRights(folder.ownRights).admin) throw FolderErrors.noAdminAccess(id);
    const { entitled, others } = splitByRights(entities, folder.permissions, request.principal);
    await this.publish(request, folder, entitled, notice);
    return others;
  }

  /** Tells users and groups that got rights on a folder, where the user wants that. */
  async notifyNewcomers(
    request: UserRequest,
    id: FolderKey,
    entities: readonly number[],
    notice: SharingNotice | undefined,
  ): Promise<void> {
    if (notice && entities.length > 0)
      await this.publish(request, await this.folders.getFolder(request, id), entities, notice);
  }

  private async publish(
    { principal: user }: UserRequest,
    { id, title }: OwnedFolder,
    entities: readonly number[],
    { message }: SharingNotice,
  ): Promise<void> {
    if (entities.length === 0) return;
    const shared = { folderId: String(id), userId: user.userId, title, entities, ...(message && { message }) };
    await this.database.transact(user, (tx) => tx.publish(mailboxEvents['folder.shared'], shared));
  }
}
