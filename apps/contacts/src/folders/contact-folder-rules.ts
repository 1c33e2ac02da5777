import { Injectable } from '@nestjs/common';
import {
  ALL_USERS,
  contactEvents,
  localText,
  SYSTEM_FOLDERS,
  type FolderCounts,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  type CountedFolder,
  FolderModuleRules,
  type FolderUser,
  type Handover,
  type ObjectRemoval,
  type RankedFolder,
  type StoredFolder,
  type SystemFolder,
  toBits,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ContactUseRepository } from '../collected/contact-use.repository';
import { ContactWriter } from '../contacts/contact-writer';
import { findGlobalAddressBook } from './folder-access';
import { ContactCardRepository } from '../persistence/contact-card.repository';
import { ContactRepository } from '../persistence/contact.repository';
import { FolderContentRepository } from '../persistence/folder-content.repository';
import { HiddenContactRepository } from '../persistence/hidden-contact.repository';

const BATCH = 500;

/** Rules of folders of contacts for the folder kit. */
@Injectable()
export class ContactFolderRules extends FolderModuleRules {
  readonly module = 'contacts';
  readonly events = contactEvents;

  constructor(
    private readonly content: FolderContentRepository,
    private readonly contacts: ContactRepository,
    private readonly hidden: HiddenContactRepository,
    private readonly cards: ContactCardRepository,
    private readonly uses: ContactUseRepository,
    private readonly writer: ContactWriter,
    private readonly clock: Clock,
  ) {
    super();
  }

  defaultTitle(locale: string): string {
    return localText('folder.contacts', locale);
  }

  override async listSystemFolders(_db: Reader, user: UserPrincipal, locale: string): Promise<readonly SystemFolder[]> {
    const { id, rights } = findGlobalAddressBook(user);
    const bits = toBits(rights);
    return [
      {
        id,
        parent: SYSTEM_FOLDERS.public,
        title: localText('folder.globalAddressBook', locale),
        type: 2,
        ownRights: bits,
        permissions: [{ entity: ALL_USERS, group: true, bits }],
      },
    ];
  }

  undeletable(db: Reader, folders: readonly RankedFolder[], user: FolderUser): Promise<ReadonlySet<number>> {
    return this.content.listUndeletable(db, folders, user.userId);
  }

  override async removeContext(tx: Transaction): Promise<void> {
    await this.contacts.removeContext(tx);
    await this.hidden.removeContext(tx);
  }

  override countObjects(
    db: Reader,
    folders: readonly CountedFolder[],
    user: FolderUser,
  ): Promise<ReadonlyMap<number, FolderCounts>> {
    return this.content.countReadable(db, folders, user.userId);
  }

  async removeObjects(tx: Transaction, folders: readonly RankedFolder[], { userId }: ObjectRemoval): Promise<void> {
    for (;;) {
      const some = await this.content.listDeletable(tx, folders, userId, BATCH);
      if (some.length === 0) return;
      await this.writer.remove(tx, userId, await this.contacts.lockByIds(tx, some));
      await tx.flush();
    }
  }

  override async permissionsChanged(tx: Transaction, folderIds: readonly number[]): Promise<void> {
    const { stamp } = await this.contacts.nextStamp(tx, this.clock.now(), 0);
    await this.contacts.recordAccessChange(tx, folderIds, stamp);
  }

  async handOver(tx: Transaction, _folders: readonly StoredFolder[], { userId, heir }: Handover): Promise<void> {
    await this.uses.deleteByUser(tx, userId);
    await this.cards.removeImports(tx, userId);
    if (!heir) return;
    const { stamp } = await this.contacts.nextStamp(tx, this.clock.now(), 0);
    await this.content.replaceAuthor(tx, userId, heir.userId, stamp);
  }
}
