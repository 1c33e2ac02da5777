import { quotaOwner } from '../quota/quota-owner.contract';

/** The calendar counts appointments of contexts. */
export const calendarQuota = quotaOwner('calendar', ['calendar']);
