/** The addresses of a list that is divided by blanks, each once. */
export const feedAddresses = (list: string): string[] => [...new Set(list.split(/\s+/).filter((text) => text !== ''))];

/**
 * The free/busy page of somebody elsewhere, from a list of `domain=template` divided by blanks; undefined when there is
 * none for the domain. A template may hold `{user}`, `{server}` and `{address}`.
 */
export function remoteAddress(list: string, address: string): string | undefined {
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
