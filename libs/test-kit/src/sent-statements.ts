import { Client } from 'pg';

/** What was sent to Postgres. */
export interface SentStatements {
  /** Texts of the statements in the order of their sending. */
  readonly texts: readonly string[];
  /** Messages with one or more statements, each of which is answered before the next one. */
  readonly roundTrips: readonly (readonly string[])[];
}

type Sent = string | { readonly text: string } | { readonly statements: readonly { readonly text: string }[] };

/** Statistics of grown tables are taken by the clock, for no call. */
const UPKEEP = /^analyze |pg_relation_size/;

const textsOf = (sent: Sent): string[] => {
  const statements = typeof sent === 'string' ? [{ text: sent }] : 'statements' in sent ? sent.statements : [sent];
  return statements.map(({ text }) => text).filter((text) => !UPKEEP.test(text));
};

/** Everything that this process sends to Postgres while a call runs, without the upkeep of statistics. */
export async function sentStatements(call: () => Promise<unknown>): Promise<SentStatements> {
  const original = Client.prototype.query;
  const roundTrips: string[][] = [];
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    roundTrips.push(textsOf(given[0] as Sent));
    return (original as (...values: unknown[]) => unknown).apply(this, given);
  } as typeof original;
  try {
    await call();
  } finally {
    Client.prototype.query = original;
  }
  return { texts: roundTrips.flat(), roundTrips };
}
