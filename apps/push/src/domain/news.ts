/** Something to tell users. */
export interface News {
  readonly users: readonly number[];
  readonly topic: string;
  readonly data: object;
}
