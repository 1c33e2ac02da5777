/** Parses a list of URLs separated by blanks, without duplicates. */
export const parseFeedAddresses = (list: string): string[] => [
  ...new Set(list.split(/\s+/).filter((text) => text !== '')),
];

/**
 * Resolves the free/busy URL of an external address from a list of `domain=template` separated by blanks; undefined
 * without a template for the domain. A template may hold `{user}`, `{server}` and `{address}`.
 */
export function resolveRemoteAddress(list: string, address: string): string | undefined {
  const at = address.lastIndexOf('@');
  const [user, server] = [address.slice(0, at), address.slice(at + 1).toLowerCase()];
  for (const entry of list.split(/\s+/)) {
    const [domain = '', template] = splitOnce(entry);
    if (domain.toLowerCase() !== server || !template) continue;
    const values: Readonly<Record<string, string>> = { user, server, address };
    return template.replace(/\{(user|server|address)\}/g, (_whole, name: string) => encodeURIComponent(values[name]!));
  }
  return undefined;
}

function splitOnce(entry: string): [string?, string?] {
  const sign = entry.indexOf('=');
  return sign < 0 ? [] : [entry.slice(0, sign), entry.slice(sign + 1)];
}
