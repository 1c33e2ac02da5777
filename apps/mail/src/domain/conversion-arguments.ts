import { ConversionErrors } from '@groupware/contracts';

const VENDOR = /^com\.(?:example|openexchange)\./;
/** Clients name arguments with the names of their module before them, some of them misspelt. */
const MODULE = /^grou(?:p)?ware\./;

/** The name of a source or handler, without the vendor. */
export const toShortIdentifier = (identifier: string): string => identifier.replace(VENDOR, '');

/** Arguments by their short names, such as `mail.conversion.fullname` and `calendar.folder`. @throws CNV-0002 */
export function parseArguments(args: unknown): ReadonlyMap<string, string> {
  if (args === undefined || args === null) return new Map();
  const list: readonly unknown[] = Array.isArray(args) ? args : [args];
  return new Map(list.flatMap((each) => readPairs(each)));
}

/** @throws CNV-0001 without the argument */
export function requireArgument(args: ReadonlyMap<string, string>, name: string): string {
  const value = args.get(name);
  if (!value) throw ConversionErrors.missingArgument(`com.example.${name}`);
  return value;
}

function readPairs(each: unknown): [string, string][] {
  if (typeof each !== 'object' || each === null) throw ConversionErrors.badArgument('args', 'no object');
  const fields = Object.entries(each);
  const named = fields.find(([field]) => field === 'name')?.[1] as unknown;
  if (typeof named === 'string') return [readPair(named, fields.find(([field]) => field === 'value')?.[1])];
  return fields.map(([field, value]) => readPair(field, value));
}

function readPair(name: string, value: unknown): [string, string] {
  const short = name.replace(VENDOR, '').replace(MODULE, '');
  if (typeof value === 'string') return [short, value];
  if (typeof value === 'number' || typeof value === 'boolean') return [short, String(value)];
  if (value === null || value === undefined) return [short, ''];
  // Clients send this one as JSON or as text of JSON.
  if (short === 'contact.pairs' && Array.isArray(value)) return [short, JSON.stringify(value)];
  throw ConversionErrors.badArgument(name.slice(0, 100), 'no text');
}
