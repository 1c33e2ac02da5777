import { quotaOwner } from '../quota/quota-owner.contract';

/** Usage of the limit of documents. */
export const filesQuota = quotaOwner('files', ['infostore']);
