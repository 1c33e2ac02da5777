import { Injectable } from '@nestjs/common';
import { contactEvents, localText, SYSTEM_FOLDERS, type UserPrincipal } from '@groupware/contracts';
import { createOwnerPermissions, FolderRepository, FolderWriter } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ContactUseRepository } from './contact-use.repository';

/** The private folder of a user in which addresses are collected. */
@Injectable()
export class CollectingFolder {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly uses: ContactUseRepository,
    private readonly clock: Clock,
  ) {}

  /** The id of the folder, made now when there is none. The caller holds {@link ContactUseRepository.lockUser}. */
  async ensure(tx: Transaction, { userId, locale }: UserPrincipal): Promise<number> {
    const known = await this.uses.findFolder(tx, userId);
    if (known !== undefined) return known;
    const stamp = await this.writer.nextStamp(tx, this.clock.now(), 1);
    const parent = SYSTEM_FOLDERS.private;
    const created = await this.writer.insert(
      tx,
      'contacts',
      {
        parent,
        type: 1,
        title: await this.folders.findFreeTitle(tx, parent, userId, localText('folder.collectedAddresses', locale)),
        createdBy: userId,
        modifiedBy: userId,
        isDefault: false,
        properties: null,
        permissions: createOwnerPermissions(userId),
      },
      stamp,
    );
    const { id } = created!;
    this.uses.setFolder(tx, userId, id);
    await tx.publish(contactEvents['folder.created'], { folderId: id });
    return id;
  }
}
