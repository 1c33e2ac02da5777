import {
  attachmentsQuota,
  MAX_ATTACHMENTS_IN_CONTEXT,
  type CallOf,
  type Handler,
  type QuotaUsage,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { UsedSpace } from '../files/used-space';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `usage`: the attachments of the context, or the space of its files. */
@Handles(attachmentsQuota.usage)
export class UsageHandler implements Handler<typeof attachmentsQuota.usage> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly attachments: AttachmentRepository,
    private readonly space: UsedSpace,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachmentsQuota.usage>): Promise<readonly QuotaUsage[]> {
    if (query.module !== 'attachment') {
      const { quota, use } = await this.space.getUsage(principal);
      return [{ account_id: 'infostore', quota, use }];
    }
    const { contextId } = principal;
    const [countquota, countuse] = await Promise.all([
      this.properties.get(MAX_ATTACHMENTS_IN_CONTEXT, { contextId }),
      this.database.read(principal, (db) => this.attachments.count(db)),
    ]);
    return [{ account_id: '0', countquota, countuse }];
  }
}
