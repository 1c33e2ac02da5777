import { documentAttachments, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `changed`: documents carry no files, so there is nothing to count. */
@Handles(documentAttachments.changed)
export class AttachmentsChangedHandler implements Handler<typeof documentAttachments.changed> {
  handle(): Promise<number> {
    return Promise.resolve(0);
  }
}
