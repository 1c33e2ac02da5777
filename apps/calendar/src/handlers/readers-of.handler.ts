import { calendarReaders, type CallOf, type DirectoryUser, type Handler } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import {
  coversObject,
  FolderRepository,
  parseRights,
  resolveStoredRights,
  type FolderUser,
  type StoredFolder,
} from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';

/** `of`: lists which of many users may read whole calendars. */
@Handles(calendarReaders.of)
export class ReadersOfHandler implements Handler<typeof calendarReaders.of> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly directory: Directory,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarReaders.of>): Promise<Record<string, number[]>> {
    const folders = await this.database.read(principal, (db) => this.folders.listByIds(db, query.folders));
    const entities = await this.directory.getEntities(principal, query.users);
    const users = [...entities.values()]
      .filter(
        (entity): entity is DirectoryUser =>
          entity.kind === 'user' && entity.enabled && entity.capabilities.includes('calendar'),
      )
      .map((user): FolderUser => ({ userId: user.id, groups: user.groups, capabilities: user.capabilities }));
    const asked = new AskedUsers(users);
    const readers: Record<string, number[]> = {};
    for (const folder of folders) {
      const found = asked.concernedBy(folder).filter((user) => {
        const rights = parseRights(resolveStoredRights(folder, user));
        return rights.folder > 0 && coversObject(rights.read, false);
      });
      if (found.length > 0) readers[folder.id] = found.map(({ userId }) => userId);
    }
    return readers;
  }
}

/** Users by what permissions name. A question is about hundreds of folders, and most of them concern one or two of its users. */
class AskedUsers {
  private readonly byId: ReadonlyMap<number, FolderUser>;
  private readonly byGroup = new Map<number, FolderUser[]>();

  constructor(users: readonly FolderUser[]) {
    this.byId = new Map(users.map((user) => [user.userId, user]));
    for (const user of users) for (const group of user.groups) this.member(group).push(user);
  }

  private member(group: number): FolderUser[] {
    const known = this.byGroup.get(group);
    if (known) return known;
    const members: FolderUser[] = [];
    this.byGroup.set(group, members);
    return members;
  }

  /** The owner of a folder, and whom its permissions name. */
  concernedBy({ createdBy, permissions }: StoredFolder): FolderUser[] {
    const found = new Set<FolderUser | undefined>([this.byId.get(createdBy)]);
    for (const { entity, group } of permissions)
      if (group) for (const user of this.byGroup.get(entity) ?? []) found.add(user);
      else found.add(this.byId.get(entity));
    return [...found].filter((user) => user !== undefined);
  }
}
