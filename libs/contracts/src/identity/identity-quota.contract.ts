import { quotaOwner } from '../quota/quota-owner.contract';

/** The directory counts guests and links of users. */
export const identityQuota = quotaOwner('identity', ['share_links', 'invite_guests']);
