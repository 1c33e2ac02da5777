const UNITS_MS: Readonly<Record<string, number>> = {
  '': 1,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A time span as operators write it (`90m`, `1D`, `2W`), in ms, 0 or at least `minMs`; undefined where it is none. */
export function parseTimeSpan(text: string, minMs = 0): number | undefined {
  const match = /^(\d{1,12})\s*(ms|[smhdw]?)$/i.exec(text.trim());
  if (!match) return undefined;
  const span = Number(match[1]) * UNITS_MS[match[2]!.toLowerCase()]!;
  return span === 0 ? 0 : Math.max(span, minMs);
}
