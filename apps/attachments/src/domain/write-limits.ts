import type { ContextStorage } from '@groupware/contracts';

/** Limits of the attachments of a context; absent: none. */
export interface ContextLimits {
  /** Maximum bytes. */
  readonly quotaBytes?: number;
  /** Maximum count, negative: unlimited. */
  readonly maxInContext: number;
}

const MEGABYTE = 1024 * 1024;

/** Converts the quota of a context to bytes; undefined: unlimited. */
export const toQuotaBytes = ({ quotaMb }: Pick<ContextStorage, 'quotaMb'>): number | undefined =>
  quotaMb < 0 ? undefined : Math.floor(quotaMb * MEGABYTE);
