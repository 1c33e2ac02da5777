import { contextStorage, quota, type CallOf, type Handler, type QuotaData } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toQuotaBytes } from '../domain/write-limits';
import { StoredFileRepository } from '../persistence/stored-file.repository';

/** `filestore`: reads the space used by the files of the context; only attachments store files so far. */
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
      this.database.read(principal, (db) => this.contents.getUsedBytes(db)),
    ]);
    return { quota: toQuotaBytes(storage) ?? -1, use };
  }
}
