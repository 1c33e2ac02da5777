import { Injectable } from '@nestjs/common';
import { SYSTEM_FOLDERS, type UserPrincipal } from '@groupware/contracts';
import { FolderRepository } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';

/** Folders in which addresses are completed where not all are looked at. */
@Injectable()
export class AddressFolders {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
  ) {}

  /** The default folder of the user and the address book of all users. */
  async listIds(user: UserPrincipal): Promise<number[]> {
    const own = await this.database.read(user, (db) => this.folders.findDefault(db, user.userId));
    return [...(own === undefined ? [] : [own]), SYSTEM_FOLDERS.globalAddressBook];
  }
}
