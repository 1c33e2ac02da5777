/** Limits of the attachments of a context; absent: none. */
export interface ContextLimits {
  /** Maximum bytes. */
  readonly quotaBytes?: number;
  /** Maximum count, negative: unlimited. */
  readonly maxInContext: number;
}
