import type { ContextStorage } from '@groupware/contracts';

/** What limits the attachments of a context; what is absent has no limit. */
export interface ContextLimits {
  /** Bytes that they may use. */
  readonly quotaBytes?: number;
  /** How many there may be, below zero without limit. */
  readonly maxInContext: number;
}

const MEGABYTE = 1024 * 1024;

/** Bytes that operators allow a context; absent: no limit. */
export const quotaBytesOf = ({ quotaMb }: Pick<ContextStorage, 'quotaMb'>): number | undefined =>
  quotaMb < 0 ? undefined : Math.floor(quotaMb * MEGABYTE);
