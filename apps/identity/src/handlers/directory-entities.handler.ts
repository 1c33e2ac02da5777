import { directory, type CallOf, type DirectoryEntity, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { DirectoryReader } from '../directory/directory-reader';

/** Users, groups and resources by id. */
@Handles(directory.entities)
export class EntitiesHandler implements Handler<typeof directory.entities> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly entities: DirectoryReader,
  ) {}

  async handle({ principal, query }: CallOf<typeof directory.entities>): Promise<DirectoryEntity[]> {
    return this.database.read(principal, (db) => this.entities.listEntities(db, query.ids));
  }
}
