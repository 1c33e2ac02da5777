import * as ipaddr from 'ipaddr.js';

/** Groups of an IPv6 address in the network of one subscriber, and in that of one site. */
const SUBSCRIBER_GROUPS = 4;
const SITE_GROUPS = 3;

/** IPv4 addresses as they are, mapped ones too; IPv6 addresses by their leading groups; other text as it is. */
function networkOf(address: string, groups: number): string {
  if (!ipaddr.isValid(address)) return address.trim().toLowerCase();
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = parsed.parts.slice(0, groups).map((part) => part.toString(16));
  return `${prefix.join(':')}::/${groups * 16}`;
}

/** Networks of the addresses that were asked about last: every request asks, and most come from few addresses. */
const known = new Map<string, string>();
const MAX_KNOWN = 5_000;

/** The network whose addresses count as one client: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). */
export function clientNetwork(address: string): string {
  let network = known.get(address);
  if (network === undefined) {
    network = networkOf(address, SUBSCRIBER_GROUPS);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(address, network);
  }
  return network;
}

/** The network that one site may own: an IPv4 address, or the /48 of an IPv6 address (RFC 6177). */
export const siteNetwork = (address: string): string => networkOf(address, SITE_GROUPS);
