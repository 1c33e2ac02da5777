import { parentPort } from 'node:worker_threads';
import type { ContentTask } from './content-task';
import { runContentTask } from './run-content-task';

/** Thread that does one task after the other: a message in, a message out. */
parentPort?.on('message', (task: ContentTask) => {
  try {
    parentPort?.postMessage({ result: runContentTask(task) });
  } catch (error) {
    parentPort?.postMessage({ failure: error instanceof Error ? error.message : 'unknown' });
  }
});
