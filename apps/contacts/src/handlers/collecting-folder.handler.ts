import { collectedAddresses, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContactUseRepository } from '../collected/contact-use.repository';

/** `folder`: where addresses are collected for a user. */
@Handles(collectedAddresses.folder)
export class CollectingFolderHandler implements Handler<typeof collectedAddresses.folder> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly uses: ContactUseRepository,
  ) {}

  async handle({ principal }: CallOf<typeof collectedAddresses.folder>): Promise<number | null> {
    const { user } = principal;
    if (!user) return null;
    return (await this.database.read(user, (db) => this.uses.findFolder(db, user.userId))) ?? null;
  }
}
