import { setTimeout as delay } from 'node:timers/promises';
import { leaveNote, removeNote } from './notes.mjs';
import { identify, isRunning, own } from './processes.mjs';

const WATCH_EVERY_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ran for so long begins with short pauses again. */
const STEADY_AFTER_MS = 60_000;

/** Pauses between attempts to start something again, ms: none before the first, then doubled. */
export class Backoff {
  #attempts = 0;
  #startedAt = Date.now();

  /** The pause before the next attempt, ms. */
  next() {
    if (Date.now() - this.#startedAt > STEADY_AFTER_MS) this.#attempts = 0;
    const pause = this.#attempts === 0 ? 0 : Math.min(125 * 2 ** this.#attempts, LONGEST_PAUSE_MS);
    this.#attempts += 1;
    return pause;
  }

  /** Notes that the process runs. */
  started() {
    this.#startedAt = Date.now();
  }
}

/**
 * A server that was started here or taken over. Ends with this process; with `say` it is also started again, on the same
 * port, when it ended by itself.
 * @param {{ dataDir: string, name: string, pid: number, port: number, launch: (port: number) => Promise<number>,
 *   signals: NodeJS.Signals[], say?: (text: string) => void }} options launch: starts the server and answers its process once
 *   it is ready; signals: the polite one, then the one that insists
 * @returns {{ stop: () => Promise<void> }}
 */
export function managedServer({ dataDir, name, pid, port, launch, signals, say }) {
  const pausing = new AbortController();
  let current;
  let end;
  const adopt = (started) => {
    current = identify(started);
    end = own(started, ...signals);
    leaveNote(dataDir, name, started, { port });
  };
  const pause = (ms) => delay(ms, undefined, { signal: pausing.signal, ref: false }).catch(() => undefined);
  const isStopped = () => pausing.signal.aborted;

  const watch = async () => {
    const backoff = new Backoff();
    while (!isStopped()) {
      await pause(WATCH_EVERY_MS);
      if (isStopped() || isRunning(current)) continue;
      await end(); // forgets a process that is gone
      const wait = backoff.next();
      say(`${name} (process ${current.pid}) has ended; starting it again${wait ? ` in ${wait} ms` : ''}`);
      await pause(wait);
      if (isStopped()) break;
      try {
        adopt(await launch(port));
        backoff.started();
        say(`${name} runs again (process ${current.pid})`);
      } catch (error) {
        say(`${name} could not be started: ${error.message}`);
      }
    }
  };

  adopt(pid);
  const watching = say ? watch() : Promise.resolve();
  return {
    stop: async () => {
      pausing.abort();
      await watching;
      await end();
      removeNote(dataDir, name);
    },
  };
}
