import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** Texts in CIDR notation; a bare address stands for itself alone. */
export type AddressRange = readonly [IPv4 | IPv6, number];

/** Reads a range such as `10.1.0.0/16` or `fd00::1`; undefined when the text is none. */
export function readRange(text: string): AddressRange | undefined {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    return undefined;
  }
}

/** Range of addresses that reaches IPv4 hosts through IPv6 (RFC 6052, 3056, 4380, 5214, 4291). */
interface Embedding {
  readonly prefix: AddressRange;
  /** The IPv4 addresses that packets to the address may reach. */
  readonly inside: (bytes: readonly number[]) => readonly (readonly number[])[];
}

const range = (text: string): AddressRange => ipaddr.parseCIDR(text);
const EMBEDDINGS: readonly Embedding[] = [
  { prefix: range('64:ff9b::/96'), inside: (bytes) => [bytes.slice(12)] }, // NAT64
  { prefix: range('2002::/16'), inside: (bytes) => [bytes.slice(2, 6)] }, // 6to4
  // Teredo: its server, and the client with all bits turned.
  { prefix: range('2001::/32'), inside: (bytes) => [bytes.slice(4, 8), bytes.slice(12).map((byte) => byte ^ 0xff)] },
  { prefix: range('::/96'), inside: (bytes) => [bytes.slice(12)] }, // IPv4-compatible
];
/** ISATAP: an interface id of 0000:5efe or 0200:5efe, then the IPv4 address, below any prefix. */
const isIsatap = (bytes: readonly number[]): boolean =>
  (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;

/**
 * Addresses where clouds tell their machines secrets, such as credentials and start-up scripts. An allowed range does not
 * include these: they are refused unless one is allowed by itself.
 */
export const CLOUD_METADATA = [
  '169.254.169.254', // most clouds
  'fd00:ec2::254', // AWS
  '169.254.170.2', // AWS: credentials of containers
  '169.254.170.23',
  'fd00:ec2::23',
  'fd20:ce::254', // Google
  '168.63.129.16', // Azure: a public address
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '169.254.42.42', // Scaleway
  'fd00:42::42',
  '169.254.0.23', // Tencent
  'fe80::a9fe:a9fe', // OpenStack
] as const;
const METADATA: ReadonlySet<string> = new Set(CLOUD_METADATA.map((text) => ipaddr.parse(text).toString()));
const isMetadata = (address: IPv4 | IPv6): boolean => METADATA.has(address.toString());

/**
 * Positions of the IPv4 bytes in an IPv6 address that a NAT64 translates (RFC 6052, section 2.2). Which prefixes a network
 * translates is not known here, so metadata services are looked for behind every prefix.
 */
const TRANSLATED = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
] as const;

const GLOBAL_UNICAST_V6 = range('2000::/3');

const isIn = (address: IPv4 | IPv6, [network, bits]: AddressRange): boolean =>
  address.kind() === network.kind() && (address as IPv6).match(network, bits);

/** The IPv4 addresses an IPv6 address carries. Mapped ones never come here: they are read as IPv4. */
function embeddedIn(address: IPv4 | IPv6): IPv4[] {
  if (address.kind() === 'ipv4') return [];
  const bytes = address.toByteArray();
  const found = EMBEDDINGS.filter(({ prefix }) => isIn(address, prefix)).flatMap(({ inside }) => inside(bytes));
  if (isIsatap(bytes)) found.push(bytes.slice(12));
  return found.map((four) => ipaddr.fromByteArray([...four]) as IPv4);
}

/** The metadata services an IPv6 address may lead to through a translator. */
function translatedMetadata(address: IPv4 | IPv6): IPv4[] {
  if (address.kind() === 'ipv4') return [];
  const bytes = address.toByteArray();
  return TRANSLATED.map((places) => ipaddr.fromByteArray(places.map((place) => bytes[place]!)) as IPv4).filter(
    isMetadata,
  );
}

/**
 * Which addresses may be connected to: unicast addresses of the public internet and the ranges the operator allows. An
 * IPv6 address that leads to an IPv4 host (mapped, NAT64, 6to4, Teredo, ISATAP) is judged by that host as well. Metadata
 * services of clouds are in no range: each has to be allowed by itself.
 */
export class AddressRule {
  /**
   * @param allowed ranges beyond the public internet, such as the operator's own mail servers
   * @param denied ranges that are refused although they are public; they win over allowed ones
   */
  constructor(
    private readonly allowed: readonly AddressRange[] = [],
    private readonly denied: readonly AddressRange[] = [],
  ) {}

  /** True when connections to the address are in order. Anything that is no address is refused. */
  permits(text: string): boolean {
    // A zone ("fe80::1%eth0") names an interface of this machine.
    if (text.includes('%') || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    const inner = [...embeddedIn(address), ...translatedMetadata(address)];
    return this.permitsOne(address) && inner.every((each) => this.permitsOne(each));
  }

  private permitsOne(address: IPv4 | IPv6): boolean {
    if (this.denied.some((range) => isIn(address, range))) return false;
    if (isMetadata(address) && !this.isNamed(address)) return false;
    if (this.allowed.some((range) => isIn(address, range))) return true;
    return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, GLOBAL_UNICAST_V6));
  }

  private isNamed(address: IPv4 | IPv6): boolean {
    const bits = address.kind() === 'ipv4' ? 32 : 128;
    return this.allowed.some(([network, length]) => length === bits && network.toString() === address.toString());
  }
}
