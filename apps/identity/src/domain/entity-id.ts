/** A user, group or resource id as number; undefined for texts that are none. */
export function parseEntityId(text: string): number | undefined {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return number < 2 ** 31 ? number : undefined;
}
