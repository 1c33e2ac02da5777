import { Client } from 'pg';

/** Record of what was sent to Postgres. */
export interface SentStatements {
  /** Texts of the statements in the order of their sending. */
  readonly texts: readonly string[];
  /** Statements that a connection was sent before the first of them was answered. */
  readonly roundTrips: readonly (readonly string[])[];
}

type Given = string | { readonly text: string };
type Callback = (...result: unknown[]) => unknown;

/** Everything that this process sends to Postgres while a call runs. */
export async function sentStatements(call: () => Promise<unknown>): Promise<SentStatements> {
  const original = Client.prototype.query;
  const roundTrips: string[][] = [];
  const open = new WeakMap<Client, string[]>();
  Client.prototype.query = function (this: Client, given: Given, ...rest: unknown[]) {
    let trip = open.get(this);
    if (!trip) {
      roundTrips.push((trip = []));
      open.set(this, trip);
    }
    trip.push(typeof given === 'string' ? given : given.text);
    const answered = (): void => void open.delete(this);
    const callback = rest.at(-1);
    const send = original as unknown as (...values: unknown[]) => unknown;
    if (typeof callback === 'function')
      return send.call(this, given, ...rest.slice(0, -1), (...result: unknown[]) => {
        answered();
        return (callback as Callback)(...result);
      });
    const result = send.call(this, given, ...rest) as Promise<unknown>;
    result.then(answered, answered);
    return result;
  } as typeof original;
  try {
    await call();
  } finally {
    Client.prototype.query = original;
  }
  return { texts: roundTrips.flat(), roundTrips };
}
