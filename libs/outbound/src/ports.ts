/** An inclusive range of TCP ports. */
export type PortRange = readonly [number, number];

/** Reads `25`, `1024-65535`; undefined when the text is no port range. */
export function readPorts(text: string): PortRange | undefined {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text.trim());
  if (!match) return undefined;
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return from >= 1 && to <= 65_535 && from <= to ? [from, to] : undefined;
}

/** The ports that one purpose may use. */
export class PortList {
  private readonly ranges: readonly PortRange[];

  /** @param texts ports and ranges as settings hold them; those that are none are left out */
  constructor(texts: readonly string[]) {
    this.ranges = texts.map(readPorts).filter((range) => range !== undefined);
  }

  /** True when the port is in the list. */
  has(port: number): boolean {
    return Number.isInteger(port) && this.ranges.some(([from, to]) => port >= from && port <= to);
  }
}
