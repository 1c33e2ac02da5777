import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Origin of a request, after trusted proxies. */
export interface ClientOrigin {
  readonly remoteAddress: string;
  readonly secure: boolean;
  readonly host: string;
  /** A trusted proxy said so. */
  readonly isForwarded: boolean;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // Some proxies append the port, and bracket IPv6 addresses.
  const address = text
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}

/** Reads `10.0.0.0/8` or a single address; undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  if (!text.includes('/')) {
    const address = parse(text);
    return address && [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  try {
    return ipaddr.parseCIDR(text.trim());
  } catch {
    return undefined;
  }
}

/** Checks a setting: a list of addresses and networks. */
@ValidatorConstraint({ name: 'addresses' })
export class Addresses implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return Array.isArray(value) && value.every((text) => parseRange(String(text)) !== undefined);
  }
  defaultMessage(): string {
    return 'must be a comma list of addresses and networks such as 10.0.0.0/8';
  }
}

/**
 * Believes the X-Forwarded headers of configured proxies only: anybody can send them, and rate limits, the address check
 * of sessions and the Secure attribute of cookies depend on them.
 */
export class ClientAddresses {
  private readonly ranges: Range[];

  constructor(trustedProxies: readonly string[]) {
    this.ranges = trustedProxies.map(parseRange).filter((range) => range !== undefined);
  }

  /** Whether there are proxies that may say for whom, and how, a request came. */
  get hasProxies(): boolean {
    return this.ranges.length > 0;
  }

  /** Whether a peer is one of the proxies that are trusted. */
  isTrusted(peer: string): boolean {
    const address = this.hasProxies ? parse(peer) : undefined;
    return address !== undefined && this.trusts(address);
  }

  private trusts(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }

  /** Address of the client of a request that came from `peer` with the header `X-Forwarded-For`. */
  addressOf(peer: string, chain: string | undefined): string {
    return this.forwarded(peer, chain)?.remoteAddress ?? peer;
  }

  /** Reads what a trusted proxy says of the client; undefined for a peer that is none. */
  private forwarded(
    peer: string,
    chain: string | undefined,
  ): Pick<ClientOrigin, 'remoteAddress' | 'isForwarded'> | undefined {
    const nearest = this.hasProxies ? parse(peer) : undefined;
    if (!nearest || !this.trusts(nearest)) return undefined;
    let client = nearest;
    let isForwarded = false;
    // From the nearest hop outwards: the first address that is no trusted proxy is the client.
    for (const hop of (chain ?? '').split(',').reverse()) {
      const address = parse(hop);
      if (!address) break;
      client = address;
      isForwarded = true;
      if (!this.trusts(address)) break;
    }
    return { remoteAddress: client.toString(), isForwarded };
  }

  /** Address, transport and host of the client of a request. */
  originOf(request: IncomingMessage): ClientOrigin {
    const socket = request.socket as Partial<TLSSocket> & IncomingMessage['socket'];
    const peer = socket.remoteAddress ?? '';
    const direct: ClientOrigin = {
      remoteAddress: peer.startsWith('::ffff:') ? peer.slice(7) : peer,
      secure: socket.encrypted === true,
      host: request.headers.host ?? '',
      isForwarded: false,
    };
    if (!this.hasProxies) return direct;
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(',') : value;
    };
    const forwarded = this.forwarded(peer, header('x-forwarded-for'));
    if (!forwarded) return direct;
    const last = (text: string | undefined): string | undefined => text?.split(',').pop()?.trim();
    return {
      ...forwarded,
      secure: direct.secure || last(header('x-forwarded-proto'))?.toLowerCase() === 'https',
      host: last(header('x-forwarded-host')) || direct.host,
    };
  }
}
