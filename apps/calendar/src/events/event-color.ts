/** Colours of events for the numbers of appointments, from 1. */
const COLORS = [
  ...['#CFE6FF', '#9BC8F7', '#B89AE9', '#F7C7E0', '#FFE2E2'],
  ...['#FDE2B9', '#FFEEB0', '#E6EFBD', '#C5D481', '#6B6B6B'],
] as const;

/** The number of a colour, null for colours that have none. */
export function colorLabelOf(color: string | undefined): number | null {
  const index = COLORS.findIndex((known) => known === color?.toUpperCase());
  return index < 0 ? null : index + 1;
}

/** The colour of an event: its own as long as the number says the same, else that of the number. */
export function colorOf(label: number | null, own: string | undefined): string | undefined {
  if (own !== undefined && colorLabelOf(own) === label) return own;
  return label === null ? undefined : COLORS[label - 1];
}
