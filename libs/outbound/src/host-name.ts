import ipaddr from 'ipaddr.js';

/** A host as a user named it, in one form. */
export interface HostName {
  /** Lower case, IDN as punycode, addresses in their usual notation, no brackets, no final dot. */
  readonly host: string;
  /** True when the host is an address and needs no look-up. */
  readonly isAddress: boolean;
}

/** Longest host name (RFC 1035, 2.3.4). */
const MAX_HOST_LENGTH = 253;

/**
 * Reads a host name or address. Every notation that some resolver or C library takes for an address (`0x7f.1`,
 * `2130706433`, `0177.0.0.1`, full-width digits) is turned into that address, so that there is only one reading of it.
 * @returns undefined when the text is no host
 */
export function readHost(text: string): HostName | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_HOST_LENGTH * 4 || /[\s/?#@\\%]/.test(trimmed)) return undefined;
  const bare = /^\[(.*)\]$/.exec(trimmed)?.[1] ?? trimmed;
  if (bare.includes(':')) {
    if (!ipaddr.IPv6.isValid(bare)) return undefined;
    return { host: ipaddr.process(bare).toString(), isAddress: true };
  }
  let host: string;
  try {
    host = new URL(`http://${bare}`).hostname; // the host parser of the URL standard
  } catch {
    return undefined;
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) return { host, isAddress: true };
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  const fits = name.length <= MAX_HOST_LENGTH && name.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  return fits ? { host: name, isAddress: false } : undefined;
}
