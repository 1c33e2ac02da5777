const LOOK_EVERY_MS = 200;

/**
 * Asks for a stop when npm has ended: it passes signals on to the shell between us only, which ends without us, and a killed
 * npm passes nothing on. Does nothing in a process that npm did not start.
 * @param {() => void} stop
 */
export function stopWithNpm(stop) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, LOOK_EVERY_MS);
  timer.unref();
}
