import { Injectable } from '@nestjs/common';
import { SYSTEM_FOLDERS, type UserPrincipal } from '@groupware/contracts';
import { FolderRepository } from '@groupware/folders';
import { ModuleDatabase, pipeline } from '@groupware/persistence';
import { ContactUseRepository } from '../collected/contact-use.repository';

/** Folders in which addresses are completed where not all are looked at. */
@Injectable()
export class AddressFolders {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly uses: ContactUseRepository,
  ) {}

  /** The default folder of the user, the one in which addresses are collected, and the address book of all users. */
  async listIds(user: UserPrincipal): Promise<number[]> {
    const own = await this.database.read(user, (db) =>
      pipeline(this.folders.findDefault(db, user.userId), this.uses.findFolder(db, user.userId)),
    );
    return [...own.filter((id) => id !== undefined), SYSTEM_FOLDERS.globalAddressBook];
  }
}
