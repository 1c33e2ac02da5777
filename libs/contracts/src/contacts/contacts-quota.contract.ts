import { quotaOwner } from '../quota/quota-owner.contract';

/** What is used of the limit of contacts. */
export const contactsQuota = quotaOwner('contacts', ['contact']);
