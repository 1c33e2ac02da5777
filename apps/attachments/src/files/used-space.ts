import { Injectable } from '@nestjs/common';
import { contextStorage, fileSpace, type ServicePrincipal, type Tenant } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { StoredFileRepository, toQuotaBytes } from '@groupware/stored-files';

const log = Logger.for('attachments');

/** Tells the space of contexts: that of attachments, and that of documents. */
@Injectable()
export class UsedSpace {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
  ) {}

  /** Bytes that may be used, -1 without limit, and that are. */
  async getUsage(tenant: Tenant): Promise<{ readonly quota: number; readonly use: number }> {
    const { contextId } = tenant;
    const principal: ServicePrincipal = { kind: 'internal', service: 'attachments', contextId };
    const [storage, own, documents] = await Promise.all([
      this.caller.call(contextStorage.get, { principal }),
      this.database.read(tenant, (db) => this.contents.getUsedBytes(db)),
      this.countDocuments(principal),
    ]);
    return { quota: toQuotaBytes(storage) ?? -1, use: own + documents };
  }

  /** Documents are left out while their service is away. */
  private async countDocuments(principal: ServicePrincipal): Promise<number> {
    try {
      return await this.caller.call(fileSpace.used, { principal });
    } catch (error) {
      log.info({ cause: String(error) }, 'used space without that of documents');
      return 0;
    }
  }
}
