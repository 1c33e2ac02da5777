/** A database that holds the data of some contexts: what the administrative API calls a schema. */
export interface Shard {
  readonly name: string;
  /** Address, or `ref:` and a name in the addresses of the settings. */
  readonly url: string;
}
