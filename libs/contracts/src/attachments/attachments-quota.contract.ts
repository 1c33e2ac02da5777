import { quotaOwner } from '../quota/quota-owner.contract';

/** The attachments service counts attachments of contexts, and the space that their files use. */
export const attachmentsQuota = quotaOwner('attachments', ['filestorage', 'attachment']);
