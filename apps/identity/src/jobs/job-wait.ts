/** Time a call waits for its job, ms; a job that ends within it is answered finished. */
const MAX_WAIT_MS = 20_000;

/** Waits for the end of a job, up to the time limit. */
export async function waitForJob(end: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([end, new Promise((late) => (timer = setTimeout(late, MAX_WAIT_MS)))]);
  clearTimeout(timer);
}
