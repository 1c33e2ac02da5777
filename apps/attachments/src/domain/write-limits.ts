import type { ContextStorage } from '@groupware/contracts';

/** What limits the attachments of a context; what is absent has no limit. */
export interface ContextLimits {
  /** Bytes that they may use. */
  readonly quotaBytes?: number;
  /** How many there may be. */
  readonly maxInContext?: number;
}

const MEGABYTE = 1024 * 1024;

/** The limits that operators set for a context. */
export const limitsOf = ({ quotaMb, items }: Pick<ContextStorage, 'quotaMb' | 'items'>): ContextLimits => ({
  ...(quotaMb < 0 ? {} : { quotaBytes: Math.floor(quotaMb * MEGABYTE) }),
  ...((items.attachments ?? -1) < 0 ? {} : { maxInContext: items.attachments }),
});
