/** Something to tell users. */
export interface News {
  readonly users: readonly number[];
  readonly topic: string;
  readonly data: object;
  /** Subscriptions of a user that are not told: those of the client that caused it. */
  readonly except?: { readonly userId: number; readonly tokenHashes: readonly string[] };
}
