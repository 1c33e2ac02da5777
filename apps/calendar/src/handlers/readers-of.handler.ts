import { calendarReaders, type CallOf, type DirectoryUser, type Handler } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { covers, FolderRepository, rightsOf, storedRightsIn } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';

/** Who of many users may read whole calendars. */
@Handles(calendarReaders.of)
export class ReadersOfHandler implements Handler<typeof calendarReaders.of> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly directory: Directory,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarReaders.of>): Promise<Record<string, number[]>> {
    const folders = await this.database.read(principal, (db) => this.folders.stored(db, query.folders));
    const entities = await this.directory.entities(principal, query.users);
    const users = [...entities.values()].filter(
      (entity): entity is DirectoryUser =>
        entity.kind === 'user' && entity.enabled && entity.capabilities.includes('calendar'),
    );
    const readers: Record<string, number[]> = {};
    for (const folder of folders) {
      const found = users.filter((user) => {
        const rights = rightsOf(storedRightsIn(folder, { ...user, userId: user.id }));
        return rights.folder > 0 && covers(rights.read, false);
      });
      if (found.length > 0) readers[folder.id] = found.map(({ id }) => id);
    }
    return readers;
  }
}
