import { quotaOwner } from '../quota/quota-owner.contract';

/** Usage of the limit of contacts. */
export const contactsQuota = quotaOwner('contacts', ['contact']);
