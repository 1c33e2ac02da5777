import * as ipaddr from 'ipaddr.js';
import type { Session } from './session';
import type { SessionSettings } from './session-settings';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

const parse = (text: string): Address | undefined => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined);

function parseRange(text: string): Range | undefined {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
  } catch {
    return undefined;
  }
  const address = parse(text);
  return address && [address, address.kind() === 'ipv4' ? 32 : 128];
}

const isWithin = (address: Address, [network, bits]: Range): boolean =>
  // Both are of one kind here, which the library's overloads cannot express.
  address.kind() === network.kind() && (address as ipaddr.IPv4).match(network, bits);

/** Decides whether a session may be used from another address than it was opened from. */
export class AddressCheck {
  private ranges: { readonly of: readonly string[]; readonly parsed: readonly Range[] } = { of: [], parsed: [] };

  constructor(private readonly settings: SessionSettings) {}

  /** True for white-listed ranges and clients, and for addresses within the configured subnet of the former one. */
  canMove(session: Session, to: string): boolean {
    if (this.settings.clientWhiteList.includes(session.client)) return true;
    const next = parse(to);
    if (!next) return false;
    if (this.getAllowList().some((range) => isWithin(next, range))) return true;
    const former = parse(session.ip);
    if (!former || former.kind() !== next.kind()) return false;
    return isWithin(next, [former, former.kind() === 'ipv4' ? this.settings.ipMaskV4 : this.settings.ipMaskV6]);
  }
  /** The ranges of the settings, parsed once for each list of the configuration. */
  private getAllowList(): readonly Range[] {
    const of = this.settings.ipWhiteList;
    if (this.ranges.of !== of) this.ranges = { of, parsed: of.map(parseRange).filter((range) => range !== undefined) };
    return this.ranges.parsed;
  }
}
