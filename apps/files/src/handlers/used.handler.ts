import { fileSpace, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { StoredFileRepository } from '@groupware/stored-files';

/** `used`: bytes of all versions of all documents. */
@Handles(fileSpace.used)
export class UsedHandler implements Handler<typeof fileSpace.used> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
  ) {}

  handle({ principal }: CallOf<typeof fileSpace.used>): Promise<number> {
    return this.database.read(principal, (db) => this.contents.getUsedBytes(db));
  }
}
