/** A job that ends within this time, ms, is answered finished. */
const PATIENCE_MS = 20_000;

/** Waits for the end of a job, but no longer than callers like to wait. */
export async function patiently(end: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([end, new Promise((late) => (timer = setTimeout(late, PATIENCE_MS)))]);
  clearTimeout(timer);
}
