import { quota, type CallOf, type Handler, type QuotaData } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { UsedSpace } from '../files/used-space';

/** `filestore`: the space used by attachments and documents of the context. */
@Handles(quota.filestore)
export class FilestoreHandler implements Handler<typeof quota.filestore> {
  constructor(private readonly space: UsedSpace) {}

  handle({ principal }: CallOf<typeof quota.filestore>): Promise<QuotaData> {
    return this.space.getUsage(principal);
  }
}
