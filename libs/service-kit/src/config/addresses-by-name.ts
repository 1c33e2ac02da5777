import type { Secret } from './secret';

/** Addresses by name of a setting `name=url`, separated by blanks. */
export function parseAddressesByName(setting: Secret): Readonly<Record<string, string>> {
  const pairs = setting.reveal().split(/\s+/).filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}
