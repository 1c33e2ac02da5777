import { contextStorage, quota, type CallOf, type Handler, type QuotaData } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { quotaBytesOf } from '../domain/write-limits';
import { StoredFileRepository } from '../persistence/stored-file.repository';

/** `filestore`: space that files of the context use. All of it is of attachments as long as no other module stores files. */
@Handles(quota.filestore)
export class FilestoreHandler implements Handler<typeof quota.filestore> {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
  ) {}

  async handle({ principal }: CallOf<typeof quota.filestore>): Promise<QuotaData> {
    const { contextId } = principal;
    const [storage, use] = await Promise.all([
      this.caller.call(contextStorage.get, { principal: { kind: 'internal', service: 'attachments', contextId } }),
      this.database.read(principal, (db) => this.contents.used(db)),
    ]);
    return { quota: quotaBytesOf(storage) ?? -1, use };
  }
}
