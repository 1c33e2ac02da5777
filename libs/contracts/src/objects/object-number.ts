const MAX_ID = 2 ** 31 - 1;

/** The number of an object id; undefined for what is none. */
export function findObjectNumber(id: string): number | undefined {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : NaN;
  return number <= MAX_ID ? number : undefined;
}
