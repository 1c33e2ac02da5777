import { attachmentEvents } from '@groupware/contracts';
import { AttachmentsChanged } from '@groupware/folders';
import { Consumes } from '@groupware/service-kit';

/** Takes over how many files tasks carry. */
@Consumes(attachmentEvents['object.changed'])
export class AttachmentsChangedConsumer extends AttachmentsChanged {}
