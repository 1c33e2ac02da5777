import {
  attachmentsQuota,
  contextStorage,
  MAX_ATTACHMENTS_IN_CONTEXT,
  type CallOf,
  type Handler,
  type QuotaUsage,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { toQuotaBytes } from '../domain/write-limits';
import { AttachmentRepository } from '../persistence/attachment.repository';
import { StoredFileRepository } from '../persistence/stored-file.repository';

/** `usage`: the attachments of the context, or the space of their files. */
@Handles(attachmentsQuota.usage)
export class UsageHandler implements Handler<typeof attachmentsQuota.usage> {
  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly attachments: AttachmentRepository,
    private readonly contents: StoredFileRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachmentsQuota.usage>): Promise<readonly QuotaUsage[]> {
    const { contextId } = principal;
    if (query.module === 'attachment') {
      const [countquota, countuse] = await Promise.all([
        this.properties.get(MAX_ATTACHMENTS_IN_CONTEXT, { contextId }),
        this.database.read(principal, (db) => this.attachments.count(db)),
      ]);
      return [{ account_id: '0', countquota, countuse }];
    }
    const [storage, use] = await Promise.all([
      this.caller.call(contextStorage.get, { principal: { kind: 'internal', service: 'attachments', contextId } }),
      this.database.read(principal, (db) => this.contents.getUsedBytes(db)),
    ]);
    return [{ account_id: 'infostore', quota: toQuotaBytes(storage) ?? -1, use }];
  }
}
