/** Parses trust zones of a comma list, each once. */
export const parseZones = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((zone) => zone.trim())
      .filter((zone) => zone !== ''),
  ),
];
