import type { SieveArgument, SieveTest } from '@groupware/sieve';

/** A part of a script that has no form in the API. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Arguments of a test or command, taken apart. */
export interface ReadArguments {
  /** Tags without a value. */
  readonly tags: ReadonlySet<string>;
  /** Values of tags that have one. */
  readonly values: ReadonlyMap<string, SieveArgument>;
  readonly positional: readonly SieveArgument[];
}

/** Takes arguments apart. @param allowed tags; those that end with a colon have a value @throws Unreadable for others */
export function readArguments(test: SieveTest, allowed: readonly string[] = []): ReadArguments {
  const tags = new Set<string>();
  const values = new Map<string, SieveArgument>();
  const positional: SieveArgument[] = [];
  const parts = [...test.arguments];
  for (let part = parts.shift(); part; part = parts.shift()) {
    if (part.kind !== 'tag') positional.push(part);
    else if (allowed.includes(part.name)) tags.add(part.name);
    else if (allowed.includes(`${part.name}:`)) values.set(part.name, parts.shift() ?? { kind: 'list', values: [] });
    else throw new Unreadable(`:${part.name} of ${test.name} cannot be edited`);
  }
  return { tags, values, positional };
}

/** The strings of an argument. @throws Unreadable */
export function stringsOf(argument: SieveArgument | undefined): readonly string[] {
  if (argument?.kind === 'text') return [argument.value];
  if (argument?.kind === 'list') return argument.values;
  throw new Unreadable('a string is missing');
}

/** The only string of an argument. @throws Unreadable */
export function stringOf(argument: SieveArgument | undefined): string {
  const [only, ...others] = stringsOf(argument);
  if (only === undefined || others.length > 0) throw new Unreadable('one string is wanted');
  return only;
}

/** As many positional arguments as wanted. @throws Unreadable */
export function requirePositional({ positional }: ReadArguments, count: number): readonly SieveArgument[] {
  if (positional.length !== count) throw new Unreadable('it has other arguments than known');
  return positional;
}
